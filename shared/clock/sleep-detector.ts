import type { Clock } from './clock.ts'

/**
 * Detects that the PC slept. Suspend events can be missing or doubled, so the detector compares the clocks. Call the
 * returned function every `intervalMs`. It returns by how many milliseconds the time since the last call exceeds
 * `intervalMs`.
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
