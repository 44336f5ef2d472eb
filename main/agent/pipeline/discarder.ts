import type { CreateSessionRequest } from '../../../shared/control-api.ts'
import type { Failure } from '../domain/failure.ts'
import { backOffMs, decide, KEY_LIFETIME_MS } from '../domain/retry-policy.ts'
import type { GivenUpSession, Journal, UnsettledCreation } from '../journal/journal.ts'
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
    const { journal, gate } = this.#deps
    const service = this.#deps.service()
    if (service === null || !gate.isOpen()) return LOOK_MS
    const goesOn = () => !signal.aborted && gate.isOpen()
    for (const creation of journal.givenUp.creationsDue(AT_ONCE))
      if (goesOn()) await this.#settle(creation, service, signal)
    for (const session of journal.givenUp.sessionsDue(AT_ONCE))
      if (goesOn()) await this.#delete(session, service, signal)
    return journal.givenUp.count() > 0 ? 1_000 : LOOK_MS
  }

  /** The same request again creates no second session (§8) and tells which one there is to delete. */
  async #settle(creation: UnsettledCreation, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, clock, random, log } = this.#deps
    const { key, reason, attempts } = creation
    const ageMs = clock.wallMs() - creation.askedAtMs
    if (ageMs < 0 || ageMs >= KEY_LIFETIME_MS || attempts >= MOST_ATTEMPTS) {
      log.warn('a session that was given up may be left at the service: its answer was lost', { reason })
      journal.givenUp.forgetCreation(key)
      return
    }
    const body = JSON.parse(creation.body) as CreateSessionRequest
    const answer = await service.createSession(body, key, signal)
    if (answer.ok)
      journal.transaction(() => {
        journal.givenUp.session(answer.value.value.id, reason)
        journal.givenUp.forgetCreation(key)
      })
    else if (answer.failure.kind === 'rejected') journal.givenUp.forgetCreation(key)
    else if (!this.#stopsStation(answer.failure))
      journal.givenUp.retryCreationAt(key, clock.wallMs() + backOffMs(attempts + 1, random))
  }

  async #delete(session: GivenUpSession, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, clock, random, log } = this.#deps
    const { sessionId, attempts, reason } = session
    // The journal is asked again: a session that a recording still uses is never deleted.
    if (journal.recordings.bySession(sessionId).length > 0) {
      journal.givenUp.forgetSession(sessionId)
      return
    }
    const answer = await service.deleteSession(sessionId, signal)
    if (answer.ok || answer.failure.kind === 'not-found') {
      log.info('deleted a session that was given up', { sessionId, reason })
      journal.givenUp.forgetSession(sessionId)
    } else if (attempts >= MOST_ATTEMPTS) {
      log.warn('could not delete a session that was given up', { sessionId, failure: answer.failure.kind })
      journal.givenUp.forgetSession(sessionId)
    } else if (!this.#stopsStation(answer.failure))
      journal.givenUp.retrySessionAt(sessionId, clock.wallMs() + backOffMs(attempts + 1, random))
  }

  /** Without a service there is nothing to count against the session: the station's probe waits for both. */
  #stopsStation(failure: Failure): boolean {
    const decision = decide(failure, 1, this.#deps.random)
    if (decision.kind !== 'retry' || decision.scope !== 'station') return false
    const detail = 'detail' in failure ? { detail: failure.detail } : {}
    this.#deps.gate.close('service-unreachable', detail)
    return true
  }
}
