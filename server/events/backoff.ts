/** §6.2, §8 */
const retryPeriodMs = 24 * 60 * 60 * 1000
const firstDelayMs = 1_000
const maxDelayMs = 60 * 60 * 1000

/** Time of the next attempt, or null if it would be more than 24 hours after the event. */
export function nextAttemptAt(createdAt: number, failedAttempts: number, now: number): number | null {
  const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (failedAttempts - 1))
  const next = now + delay
  return next > createdAt + retryPeriodMs ? null : next
}
