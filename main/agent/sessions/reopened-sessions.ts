import { isReopeningTrusted } from '../domain/retry-policy.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * Tracks complete sessions that the service shows as `uploading` again. A lagging replica may show an old state for a
 * while. So Sluice believes that a session was reopened only after several polls over a minimum time. A restart loses
 * the counts, which only delays the decision.
 */
export class ReopenedSessions {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #sightings = new Map<number, { readonly sinceMs: number; readonly count: number }>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /**
   * Call this after a poll of the recording's session alone, not after a poll with a list. Counts polls in a row that
   * show `uploading`. Returns true if the session counts as open again.
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
