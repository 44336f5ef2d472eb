import type { Clock } from './clock.ts'

/**
 * Detects by the clocks that the PC slept, because suspend events can be missing or doubled. Call the returned
 * function every `intervalMs`. It returns how many milliseconds late the call is.
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
