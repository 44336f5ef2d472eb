/** From this number of sessions on, one page of the list (§4.5) is cheaper than a poll of each session. */
export const MIN_LISTED_SESSIONS = 4
/**
 * A list request covers no longer gap than this between two sessions: it might also return many sessions of other
 * stations.
 */
const LONGEST_GAP_MS = 60_000
/**
 * A list request covers this much more time at both ends, because the service may store times with less precision than
 * it reports them.
 */
const SLACK_MS = 1_000

export type ListWindow<T> = {
  readonly site: string
  /** The recordings whose sessions the list request should find. */
  readonly wanted: readonly T[]
  /** The times of creation to request, by the service's clock. Null if the service reported no usable times. */
  readonly span: { readonly from: string; readonly before: string } | null
}

type FollowedRecording = {
  readonly site: string
  readonly session: { readonly createdAt: string | null } | null
}

/** A later date counts as unknown: with the slack, it would exceed the range of a Date. */
const LATEST_MS = 8.64e15 - SLACK_MS

const createdMs = ({ session }: FollowedRecording): number => {
  const atMs = Date.parse(session?.createdAt ?? '') || 0
  return Math.abs(atMs) > LATEST_MS ? 0 : atMs
}

const isoAt = (ms: number): string => new Date(ms).toISOString()

/** Groups sessions that were created soon after each other, the oldest first. */
const runsOf = <T extends FollowedRecording>(recordings: readonly T[]): T[][] => {
  const runs: T[][] = []
  let lastMs = Number.NEGATIVE_INFINITY
  for (const recording of recordings.toSorted((a, b) => createdMs(a) - createdMs(b))) {
    const atMs = createdMs(recording)
    const run = atMs - lastMs > LONGEST_GAP_MS ? undefined : runs.at(-1)
    if (run === undefined) runs.push([recording])
    else run.push(recording)
    lastMs = atMs
  }
  return runs
}

const spanOf = (run: readonly FollowedRecording[]): ListWindow<never>['span'] => {
  const [first, last] = [run[0], run.at(-1)].map((one) => (one === undefined ? 0 : createdMs(one)))
  if (first === undefined || first === 0 || last === undefined) return null
  return { from: isoAt(first - SLACK_MS), before: isoAt(last + SLACK_MS) }
}

/** Separates the sessions to poll with the list from those to poll singly. */
export const listWindows = <T extends FollowedRecording>(
  recordings: readonly T[],
): { readonly windows: readonly ListWindow<T>[]; readonly singles: readonly T[] } => {
  const windows: ListWindow<T>[] = []
  const singles: T[] = []
  for (const [site, ofSite] of Map.groupBy(recordings, (recording) => recording.site))
    for (const run of runsOf(ofSite))
      if (run.length < MIN_LISTED_SESSIONS) singles.push(...run)
      else windows.push({ site, wanted: run, span: spanOf(run) })
  return { windows, singles }
}
