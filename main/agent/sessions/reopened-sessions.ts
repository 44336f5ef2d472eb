import { isReopened } from '../domain/retry-policy.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * Complete sessions that read `uploading` again. A copy that lags behind shows an old state for a while, so only a
 * session that reads so again and again is believed. Forgotten in a restart, which only delays the belief.
 */
export class ReopenedSessions {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #seen = new Map<number, { readonly sinceMs: number; readonly times: number }>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Takes note of what a session said when it was polled by itself; true where it is open again. */
  heard(recordingId: number, readsUploading: boolean): boolean {
    if (!readsUploading) {
      this.#seen.delete(recordingId)
      return false
    }
    const nowMs = this.#clock.monotonicMs()
    const before = this.#seen.get(recordingId) ?? { sinceMs: nowMs, times: 0 }
    const seen = { ...before, times: before.times + 1 }
    this.#seen.set(recordingId, seen)
    return isReopened(seen.times, nowMs - seen.sinceMs)
  }

  forget(recordingId: number): void {
    this.#seen.delete(recordingId)
  }
}
