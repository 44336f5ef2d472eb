import { decide } from '../domain/retry-policy.ts'
import type { Clock, Files, Log, Random, ServiceClient, StationGate } from '../ports.ts'

const LOOK_MS = 1_000
/** The journal may not fill the last of the disk: the recorder on the same drive comes first. */
const FLOOR_BYTES = 4 * 1024 * 1024
const FLOOR_LOOK_MS = 15_000

type Dependencies = {
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
    const { gate, clock } = this.#deps
    const { problem } = gate
    if (problem === null) {
      await this.#keepFloor()
      return LOOK_MS
    }
    if (clock.monotonicMs() < gate.probeAtMs) return LOOK_MS
    if (problem.code === 'disk-full') await this.#lookForRoom()
    else if (problem.code !== 'key-missing') await this.#askService(signal)
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
    const { gate, random, log } = this.#deps
    const service = this.#deps.service()
    if (service === null) return
    const outcome = await service.testKey(signal)
    if (signal.aborted) return
    if (outcome.ok && outcome.value === 'write') {
      log.info('the service can be used again')
      gate.open()
      return
    }
    if (outcome.ok) {
      gate.close('key-read-only')
      return
    }
    const decision = decide(outcome.failure, 1, random)
    const requestId = 'requestId' in outcome.failure ? outcome.failure.requestId : null
    const detail = 'detail' in outcome.failure ? { detail: outcome.failure.detail } : {}
    if (decision.kind === 'stop-station') gate.close(decision.code, { requestId, ...detail })
    // It answers, if only with an error: recordings have their own patience with that.
    else if (outcome.failure.kind === 'service' || outcome.failure.kind === 'rate-limited') gate.open()
    else gate.close('service-unreachable', detail)
  }
}
