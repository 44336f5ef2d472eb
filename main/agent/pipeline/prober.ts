import { done, type Failure, type Outcome, requestIdOf } from '../domain/failure.ts'
import { decide } from '../domain/retry-policy.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock, Files, Log, Random, ServiceClient, StationGate } from '../ports.ts'

const LOOK_MS = 1_000
/** The journal may not fill the last of the disk: the recorder on the same drive comes first. */
const FLOOR_BYTES = 4 * 1024 * 1024
const FLOOR_LOOK_MS = 15_000
/** Sessions asked about before a key is called foreign: a few may have been deleted over there. */
const WITNESSES = 5

type Dependencies = {
  readonly journal: Journal
  readonly service: () => ServiceClient | null
  readonly gate: StationGate
  readonly files: Files
  readonly dataFolder: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** While the station is stopped, one question now and then instead of one per recording. */
export class Prober {
  readonly name = 'prober'
  readonly #deps: Dependencies
  #floorLookAtMs = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  async step(signal: AbortSignal): Promise<number> {
    const { gate, clock, log } = this.#deps
    const { problem } = gate
    if (problem === null) await this.#keepFloor()
    if (problem === null && gate.trusted) return LOOK_MS
    if (problem?.code === 'key-other-organisation' && gate.trusted) {
      log.info('a person accepted the organisation of the key')
      gate.open()
      return LOOK_MS
    }
    if (clock.monotonicMs() < gate.probeAtMs) return LOOK_MS
    if (problem?.code === 'disk-full') await this.#lookForRoom()
    else if (problem?.code !== 'key-missing') await this.#askService(signal)
    return LOOK_MS
  }

  /** Stopping a little before the disk is full leaves room to write down why. */
  async #keepFloor(): Promise<void> {
    const { gate, files, dataFolder, clock } = this.#deps
    if (clock.monotonicMs() < this.#floorLookAtMs) return
    this.#floorLookAtMs = clock.monotonicMs() + FLOOR_LOOK_MS
    const free = await files.freeBytes(dataFolder)
    if (free !== null && free < FLOOR_BYTES) gate.close('disk-full')
  }

  async #lookForRoom(): Promise<void> {
    const { gate, files, dataFolder } = this.#deps
    const free = await files.freeBytes(dataFolder)
    if (free === null || free > FLOOR_BYTES) gate.open()
    else gate.close('disk-full')
  }

  async #askService(signal: AbortSignal): Promise<void> {
    const { gate, log } = this.#deps
    const service = this.#deps.service()
    if (service === null) return
    const outcome = await service.testKey(signal)
    if (signal.aborted || service !== this.#deps.service()) return
    if (!outcome.ok) return this.#failed(outcome.failure)
    if (outcome.value !== 'write') return gate.close('key-read-only')
    const ours = await this.#ours(service, signal)
    if (signal.aborted || service !== this.#deps.service()) return
    if (!ours.ok) return this.#failed(ours.failure)
    if (!ours.value) return gate.close('key-other-organisation')
    log.info('the service can be used again')
    if (gate.trusted) gate.open()
    else gate.trust()
  }

  /**
   * Whether the key opens the organisation that has our sessions: one that answers is proof. §5.5 forbids those
   * of others; a service that hides them instead answers 404 to every one, which deletions seldom do.
   */
  async #ours(service: ServiceClient, signal: AbortSignal): Promise<Outcome<boolean>> {
    const { gate, journal } = this.#deps
    if (gate.trusted) return done(true)
    const sessions = journal.recordings.knownSessions(WITNESSES)
    for (const id of sessions) {
      const answer = await service.retrieveSession(id, signal)
      if (answer.ok) return done(true)
      const { kind } = answer.failure
      if (kind !== 'other-organisation' && kind !== 'not-found') return answer
    }
    return done(sessions.length === 0)
  }

  #failed(failure: Failure): void {
    const { gate, random } = this.#deps
    const decision = decide(failure, 1, random)
    const requestId = requestIdOf(failure)
    const detail = 'detail' in failure ? { detail: failure.detail } : {}
    if (decision.kind === 'stop-station') gate.close(decision.code, { requestId, ...detail })
    else if (failure.kind !== 'service' && failure.kind !== 'rate-limited')
      gate.close('service-unreachable', detail)
    // It answers, if only with an error: recordings have their own patience with that.
    else if (gate.trusted) gate.open()
    else gate.close('service-error', { requestId })
  }
}
