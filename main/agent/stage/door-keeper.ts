import type { ConditionName } from '../../../shared/status/conditions.ts'
import type { ProblemCode } from '../../../shared/status/status.ts'
import type { Log } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'
import type { Door, ListenResult } from '../ports/webhooks.ts'

type Where = { readonly address: string; readonly port: number }

type Keeping = {
  readonly condition: Extract<ConditionName, 'webhooks' | 'metrics'>
  readonly codes: Readonly<Record<Extract<ListenResult, { ok: false }>['reason'], ProblemCode>>
  /** "events of the service are received", for the log. */
  readonly what: string
  readonly station: StationConditions
  readonly log: Log
  readonly listens: (at: Where | null) => void
}

/**
 * Keeps a door of this PC as the settings want it, while they change. One that cannot be opened is a condition of the
 * station that stops nothing, and is tried again.
 */
export class DoorKeeper {
  readonly #keeping: Keeping
  #door: Door | null = null
  /** What the settings asked for when the door was last tried. */
  #tried = ''

  constructor(keeping: Keeping) {
    this.#keeping = keeping
  }

  get isOpen(): boolean {
    return this.#door !== null
  }

  async keep<W extends Where>(
    wanted: W | null,
    open: (wanted: W) => Promise<ListenResult>,
    /** Why it may not be opened as it is. */
    refusal: ProblemCode | null = null,
  ): Promise<void> {
    const { station, condition } = this.#keeping
    const asked = JSON.stringify([wanted, refusal])
    const isNew = asked !== this.#tried
    if (isNew) await this.shut()
    this.#tried = asked
    const isDue = isNew || station.code(condition) === null || station.probeDue(condition)
    if (wanted === null) station.clear(condition)
    else if (this.#door === null && isDue) {
      if (refusal !== null) station.raise(condition, refusal)
      else this.#open(await open(wanted))
    }
  }

  async shut(): Promise<void> {
    const door = this.#door
    this.#door = null
    this.#keeping.listens(null)
    await door?.close()
  }

  #open(opened: ListenResult): void {
    const { station, condition, codes, log, what, listens } = this.#keeping
    if (!opened.ok) {
      const code = codes[opened.reason]
      log.warn(`not listening: ${what}`, { code, at: opened.detail })
      station.raise(condition, code, { detail: opened.detail })
      return
    }
    const { address, port } = opened.door
    this.#door = opened.door
    listens({ address, port })
    station.clear(condition)
    log.info(what, { address, port })
  }
}
