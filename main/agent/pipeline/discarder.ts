import { backOffMs } from '../domain/retry-policy.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock, Log, Random, ServiceClient, StationGate } from '../ports.ts'

const LOOK_MS = 10_000
const AT_ONCE = 10
const MOST_ATTEMPTS = 20

type Dependencies = {
  readonly journal: Journal
  readonly service: () => ServiceClient | null
  readonly gate: StationGate
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Deletes sessions that were given up for a new one, so that each recording ends in exactly one. */
export class Discarder {
  readonly name = 'discarder'
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  async step(signal: AbortSignal): Promise<number> {
    const { journal, gate, clock, random, log } = this.#deps
    const service = this.#deps.service()
    if (service === null || !gate.isOpen()) return LOOK_MS
    for (const { sessionId, attempts, reason } of journal.station.discardedDue(AT_ONCE)) {
      if (signal.aborted) break
      // The journal is asked again: a session that a recording still uses is never deleted.
      if (journal.recordings.bySession(sessionId).length > 0) {
        journal.station.discarded(sessionId)
        continue
      }
      const answer = await service.deleteSession(sessionId, signal)
      if (answer.ok || answer.failure.kind === 'not-found') {
        log.info('deleted a session that was given up', { sessionId, reason })
        journal.station.discarded(sessionId)
      } else if (attempts >= MOST_ATTEMPTS) {
        log.warn('could not delete a session that was given up', { sessionId, failure: answer.failure.kind })
        journal.station.discarded(sessionId)
      } else journal.station.retryDiscardedAt(sessionId, clock.wallMs() + backOffMs(attempts + 1, random))
    }
    return journal.station.discardedCount() > 0 ? 1_000 : LOOK_MS
  }
}
