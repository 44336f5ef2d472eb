export type Clocks = { readonly wallMs: () => number; readonly monotonicMs: () => number }

/**
 * Suspend events can be missing or doubled. Sleep also shows as time that passed on the wall but not in this
 * process, or as a timer that came far too late; each call of `look` says how much is unaccounted for.
 */
export const gapWatcher = (clocks: Clocks, everyMs: number) => {
  let wall = clocks.wallMs()
  let monotonic = clocks.monotonicMs()
  return (): number => {
    const wallPassed = clocks.wallMs() - wall
    const monotonicPassed = clocks.monotonicMs() - monotonic
    wall += wallPassed
    monotonic += monotonicPassed
    return Math.max(0, Math.max(wallPassed, monotonicPassed) - everyMs)
  }
}
