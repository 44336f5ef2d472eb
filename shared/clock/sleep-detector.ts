import type { Clock } from './clock.ts'

/**
 * Detects that the PC slept. Suspend events can be missing or doubled, but the clocks also show sleep: more time passed
 * than `everyMs`. Call the returned function every `everyMs`. It returns the extra milliseconds.
 */
export const sleepDetector = (clock: Clock, everyMs: number) => {
  let wall = clock.wallMs()
  let monotonic = clock.monotonicMs()
  return (): number => {
    const wallPassed = clock.wallMs() - wall
    const monotonicPassed = clock.monotonicMs() - monotonic
    wall += wallPassed
    monotonic += monotonicPassed
    return Math.max(0, Math.max(wallPassed, monotonicPassed) - everyMs)
  }
}
