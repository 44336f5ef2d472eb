import type { TakeExpectation } from '../../../shared/settings/take-expectation.ts'
import type { InspectedChannel, Inspection, RecordingFormat } from '../../../shared/status/inspection.ts'
import { averageRateHz, signalFaultOf } from './find-deviations.ts'

/** With fewer recordings, Sluice cannot tell what is usual. */
export const MIN_LEARNED_RECORDINGS = 5
/**
 * The share of recordings that must have a channel before Sluice expects it. The same share must have a varying signal
 * before Sluice expects the signal to vary.
 */
const MIN_SHARE = 0.9
/** Ignores this share of the lowest and of the highest values, because some past recordings may have been bad. */
const IGNORED_SHARE = 0.1
const LOWER_MARGIN = 0.8
const UPPER_MARGIN = 1.25
/** Gaps vary more than rates: one late message can double a gap. */
const GAP_MARGIN = 2
const MIN_GAP_S = 1

/** Two significant digits are easier to read and to confirm. */
const roundDown = (value: number): number => roundBy(Math.floor, value)
const roundUp = (value: number): number => roundBy(Math.ceil, value)
const roundBy = (round: (value: number) => number, value: number): number => {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1)
  return Number((round(Number((value / step).toFixed(6))) * step).toPrecision(2))
}

const sortKnown = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value) => (value !== null && value > 0 ? [value] : [])).toSorted((a, b) => a - b)

/** The usual lowest and highest value; null if too few are known. */
const usualRange = (
  values: readonly (number | null)[],
): { readonly low: number; readonly high: number } | null => {
  const sorted = sortKnown(values)
  const ignoredCount = Math.floor(sorted.length * IGNORED_SHARE)
  const [low, high] = [sorted[ignoredCount], sorted[sorted.length - 1 - ignoredCount]]
  if (sorted.length < MIN_LEARNED_RECORDINGS || low === undefined || high === undefined) return null
  return { low, high }
}

const mostVary = (occurrences: readonly InspectedChannel[]): boolean => {
  const checked = occurrences.filter(({ signal }) => signal !== undefined)
  const varying = checked.filter((channel) => signalFaultOf(channel) === null)
  return checked.length >= MIN_LEARNED_RECORDINGS && varying.length >= checked.length * MIN_SHARE
}

const mostFrequentFormat = (inspections: readonly Inspection[]): Exclude<RecordingFormat, 'other'> | null => {
  const counts = new Map<Exclude<RecordingFormat, 'other'>, number>()
  for (const { format } of inspections)
    if (format !== 'other') counts.set(format, (counts.get(format) ?? 0) + 1)
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
  return first?.[0] ?? null
}

/**
 * Proposes an expectation from past recordings, for an administrator to confirm. `samples`: the complete recordings of
 * the most frequent format. `expect` is null if there are too few samples.
 */
export const learnExpectation = (
  inspections: readonly Inspection[],
): { readonly samples: readonly Inspection[]; readonly expect: TakeExpectation | null } => {
  const format = mostFrequentFormat(inspections)
  const samples = inspections.filter(
    (inspection) => inspection.format === format && inspection.completeness !== 'cut-off',
  )
  if (format === null || samples.length < MIN_LEARNED_RECORDINGS) return { samples, expect: null }
  const names = [...new Set(samples.flatMap(({ channels }) => channels.map(({ name }) => name)))]
  const channels = names.flatMap((name) => {
    const occurrences = samples.flatMap(({ durationS, channels: sampleChannels }) => {
      const channel = sampleChannels.find((each) => each.name === name)
      return channel === undefined || channel.messages === 0
        ? []
        : [{ ...channel, rateHz: averageRateHz(channel, durationS) }]
    })
    if (occurrences.length < samples.length * MIN_SHARE) return []
    const rate = usualRange(occurrences.map(({ rateHz }) => rateHz))
    const gap = usualRange(occurrences.map(({ largestGapS }) => largestGapS))
    return [
      {
        name,
        ...(rate === null ? {} : { min_rate_hz: roundDown(rate.low * LOWER_MARGIN) }),
        ...(gap === null ? {} : { max_gap_seconds: roundUp(Math.max(MIN_GAP_S, gap.high * GAP_MARGIN)) }),
        ...(mostVary(occurrences) ? { not_constant: true } : {}),
      },
    ]
  })
  const duration = usualRange(samples.map(({ durationS }) => durationS))
  const expect = {
    format,
    channels: channels.slice(0, 200),
    ...(duration === null
      ? {}
      : {
          min_seconds: roundDown(duration.low * LOWER_MARGIN),
          max_seconds: roundUp(duration.high * UPPER_MARGIN),
        }),
  }
  return { samples, expect }
}
