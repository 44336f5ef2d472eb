import { isReopened as isReopeningBelieved } from '../domain/retry-policy.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * Complete sessions that the service shows as `uploading` again. A lagging replica may show an old state for a while,
 * so Sluice believes that state only after several polls. A restart loses the counts, which only delays the decision.
 */
export class ReopenedSessions {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #sightings = new Map<number, { readonly sinceMs: number; readonly count: number }>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Counts a poll of the session itself. Returns true if the session really is open again. */
  isReopened(recordingId: number, isShownAsUploading: boolean): boolean {
    if (!isShownAsUploading) {
      this.#sightings.delete(recordingId)
      return false
    }
    const nowMs = this.#clock.monotonicMs()
    const earlier = this.#sightings.get(recordingId) ?? { sinceMs: nowMs, count: 0 }
    const sighting = { ...earlier, count: earlier.count + 1 }
    this.#sightings.set(recordingId, sighting)
    return isReopeningBelieved(sighting.count, nowMs - sighting.sinceMs)
  }

  forget(recordingId: number): void {
    this.#sightings.delete(recordingId)
  }
}
