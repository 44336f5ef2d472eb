export type Clocks = { readonly wallMs: () => number; readonly monotonicMs: () => number }

/**
 * Detects that the PC slept. Suspend events can be missing or doubled, but sleep also shows in the clocks: more time passed
 * than `everyMs`. Call the returned function every `everyMs`; it returns the milliseconds beyond that.
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
