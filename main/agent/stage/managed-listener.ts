import type { ConditionName } from '../../../shared/status/conditions.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { Log } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'
import type { Listener, ListenResult } from '../ports/webhooks.ts'

type ListenAddress = { readonly address: string; readonly port: number }

type Options = {
  readonly condition: Extract<ConditionName, 'webhooks' | 'metrics'>
  readonly codes: Readonly<Record<Extract<ListenResult, { ok: false }>['reason'], ProblemCode>>
  /** The purpose of the port, for the log, such as "service events". */
  readonly purpose: string
  readonly station: StationConditions
  readonly log: Log
  /** Called with the address of the open port, and with null before it is closed. */
  readonly onListening: (address: ListenAddress | null) => void
}

/**
 * Keeps a port open while the settings enable it. If Sluice cannot open it, the station shows a condition, and uploads
 * continue.
 */
export class ManagedListener {
  readonly #options: Options
  #listener: Listener | null = null
  /** The settings of the last attempt, as JSON. */
  #lastRequest = ''

  constructor(options: Options) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#listener !== null
  }

  async update<W extends ListenAddress>(
    wanted: W | null,
    open: (wanted: W) => Promise<ListenResult>,
    /** Why Sluice must not open the port with these settings, or null. */
    refusal: ProblemCode | null = null,
  ): Promise<void> {
    const { station, condition } = this.#options
    const request = JSON.stringify([wanted, refusal])
    const isNew = request !== this.#lastRequest
    if (isNew) await this.close()
    this.#lastRequest = request
    const isDue = isNew || station.code(condition) === null || station.isProbeDue(condition)
    if (wanted === null) station.clear(condition)
    else if (this.#listener === null && isDue) {
      if (refusal !== null) station.raise(condition, refusal)
      else this.#open(await open(wanted))
    }
  }

  async close(): Promise<void> {
    const listener = this.#listener
    this.#listener = null
    this.#options.onListening(null)
    await listener?.close()
  }

  #open(result: ListenResult): void {
    const { station, condition, codes, log, purpose, onListening } = this.#options
    if (!result.ok) {
      const code = codes[result.reason]
      log.warn(`cannot listen for ${purpose}`, { code, at: result.detail })
      station.raise(condition, code, { detail: result.detail })
      return
    }
    const { address, port } = result.listener
    this.#listener = result.listener
    onListening({ address, port })
    station.clear(condition)
    log.info(`listening for ${purpose}`, { address, port })
  }
}
