/** Most recordings are processed soon; a long one is asked about less and less often. */
const GROWTH = 1.5
const LONGEST_MS = 5 * 60_000

export const pollIntervalMs = (polls: number, baseSeconds: number): number =>
  Math.min(baseSeconds * 1000 * GROWTH ** Math.min(polls, 20), Math.max(LONGEST_MS, baseSeconds * 1000))
