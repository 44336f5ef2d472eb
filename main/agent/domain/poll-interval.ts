/** Most recordings are processed soon; a long one is asked about less and less often. */
const GROWTH = 1.5
const LONGEST_MS = 5 * 60_000

/** In whole milliseconds: the journal takes no others. */
export const pollIntervalMs = (polls: number, baseSeconds: number): number =>
  Math.round(
    Math.min(baseSeconds * 1000 * GROWTH ** Math.min(polls, 20), Math.max(LONGEST_MS, baseSeconds * 1000)),
  )
