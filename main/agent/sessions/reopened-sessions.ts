import { isReopeningTrusted } from '../domain/retry-policy.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * Tracks complete sessions that the service shows as `uploading` again. A lagging replica may show an old state, so
 * this needs several polls over a minimum time.
 */
export class ReopenedSessions {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #sightings = new Map<number, { readonly sinceMs: number; readonly count: number }>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /**
   * Call this after each poll of this one session, but not after a list. Returns true if the session counts as open
   * again.
   */
  recordPoll(recordingId: number, isShownAsUploading: boolean): boolean {
    if (!isShownAsUploading) {
      this.#sightings.delete(recordingId)
      return false
    }
    const nowMs = this.#clock.monotonicMs()
    const earlier = this.#sightings.get(recordingId) ?? { sinceMs: nowMs, count: 0 }
    const sighting = { ...earlier, count: earlier.count + 1 }
    this.#sightings.set(recordingId, sighting)
    return isReopeningTrusted(sighting.count, nowMs - sighting.sinceMs)
  }

  forget(recordingId: number): void {
    this.#sightings.delete(recordingId)
  }
}
