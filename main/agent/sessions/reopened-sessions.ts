import { isReopened as isBelievable } from '../domain/retry-policy.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * Complete sessions that read `uploading` again. A stale replica may show an old state for a while, so we
 * believe it only after several polls. A restart loses the counts, which only delays the decision.
 */
export class ReopenedSessions {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #seen = new Map<number, { readonly sinceMs: number; readonly times: number }>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Counts a poll of the session itself; true if the session really is open again. */
  isReopened(recordingId: number, readsUploading: boolean): boolean {
    if (!readsUploading) {
      this.#seen.delete(recordingId)
      return false
    }
    const nowMs = this.#clock.monotonicMs()
    const before = this.#seen.get(recordingId) ?? { sinceMs: nowMs, times: 0 }
    const seen = { ...before, times: before.times + 1 }
    this.#seen.set(recordingId, seen)
    return isBelievable(seen.times, nowMs - seen.sinceMs)
  }

  forget(recordingId: number): void {
    this.#seen.delete(recordingId)
  }
}
