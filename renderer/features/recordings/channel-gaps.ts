import type { InspectedChannel } from '../../../shared/status/inspection.ts'

/** A silence of at least this many message intervals is a gap. Shorter silences are usual for a slow channel. */
const GAP_INTERVALS = 3

export type Stretch = { readonly from: number; readonly to: number }

/** The stretches of a timeline between the gaps, in buckets. */
export const filledStretches = (
  { timeline = [], rateHz }: Pick<InspectedChannel, 'timeline' | 'rateHz'>,
  durationS: number | null,
): readonly Stretch[] => {
  const bucketS = durationS === null || timeline.length === 0 ? 0 : durationS / timeline.length
  const shortestGap = rateHz === null || bucketS === 0 ? 1 : GAP_INTERVALS / rateHz / bucketS
  const stretches: { from: number; to: number }[] = []
  for (const [bucket, count] of timeline.entries()) {
    if (count === 0) continue
    const last = stretches.at(-1)
    if (last !== undefined && bucket - last.to < shortestGap) last.to = bucket + 1
    else stretches.push({ from: bucket, to: bucket + 1 })
  }
  const [first, last] = [stretches[0], stretches.at(-1)]
  if (first !== undefined && first.from < shortestGap) first.from = 0
  if (last !== undefined && timeline.length - last.to < shortestGap) last.to = timeline.length
  return stretches
}
