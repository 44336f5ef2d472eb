import type { Clock } from './clock.ts'

/**
 * Detects that the PC slept. Suspend events can be missing or doubled, but the clocks also show sleep. Call the returned
 * function every `intervalMs`. It returns how many milliseconds more than that have passed since the last call.
 */
export const sleepDetector = (clock: Clock, intervalMs: number) => {
  let lastWallMs = clock.wallMs()
  let lastMonotonicMs = clock.monotonicMs()
  return (): number => {
    const wallPassedMs = clock.wallMs() - lastWallMs
    const monotonicPassedMs = clock.monotonicMs() - lastMonotonicMs
    lastWallMs += wallPassedMs
    lastMonotonicMs += monotonicPassedMs
    return Math.max(0, Math.max(wallPassedMs, monotonicPassedMs) - intervalMs)
  }
}
