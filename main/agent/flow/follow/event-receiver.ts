import type { DeliveryRefusal } from '../../../../shared/contract/webhooks.ts'
import type { NotedEvent } from '../../journal/event-store.ts'
import { DoorKeeper } from '../../stage/door-keeper.ts'
import { StageOf } from '../../stage/stage.ts'

const LOOK_MS = 1_000
/** Whoever sends rubbish all day fills no log with it. */
const TELL_REFUSAL_MS = 60_000

/**
 * Takes the service's events and notes them in the journal, which makes the follower look at once. Off unless the settings
 * name a port. Where it cannot listen the station says so and goes on by asking; it tries again by itself.
 */
export class Receiver extends StageOf<
  'journal' | 'station' | 'settings' | 'service' | 'clock' | 'log' | 'guard' | 'webhooks'
> {
  readonly name = 'receiver'
  readonly takes = [] as const
  readonly #keeper = new DoorKeeper({
    ...this.world,
    condition: 'webhooks',
    codes: { 'port-taken': 'webhook-port-taken', 'address-missing': 'webhook-address-missing' },
    what: 'events of the service are received',
    listens: (at) => {
      this.world.webhooks.board.listening = at
    },
  })
  #toldRefusalAtMs: number | null = null

  async step(): Promise<number> {
    const { webhooks, clock } = this.world
    await this.#keeper.keep(this.world.settings()?.webhooks.receive ?? null, (wanted) =>
      webhooks.open({
        ...wanted,
        secrets: webhooks.secrets,
        // By the service's clock where it is known: this PC's may be wrong by days, and `t` is the service's.
        nowMs: () => this.world.service()?.nowMs() ?? clock.wallMs(),
        note: (event) => this.#note(event),
        refused: (reason) => this.#refused(reason),
      }),
    )
    if (this.#keeper.isOpen) this.#lookForSecret()
    return LOOK_MS
  }

  close(): Promise<void> {
    return this.#keeper.shut()
  }

  #lookForSecret(): void {
    const { station, webhooks } = this.world
    if (webhooks.secrets().length > 0) station.clear('webhooks')
    else if (station.code('webhooks') === null || station.probeDue('webhooks'))
      station.raise('webhooks', 'webhook-secret-missing')
  }

  /** False where the journal could not take it: it is then not answered as taken, and comes again (§6.2). */
  #note(event: NotedEvent): boolean {
    let isNoted = false
    this.world.guard('an event of the service', () => {
      const isNew = this.world.journal.events.note(event)
      isNoted = true
      if (isNew) this.world.log.info('the service sent an event', { ...event })
    })
    return isNoted
  }

  #refused(reason: DeliveryRefusal): void {
    const { webhooks, clock, log } = this.world
    const { board } = webhooks
    board.refused = { count: (board.refused?.count ?? 0) + 1, lastAtMs: clock.wallMs(), reason }
    const now = clock.monotonicMs()
    if (this.#toldRefusalAtMs !== null && now - this.#toldRefusalAtMs < TELL_REFUSAL_MS) return
    this.#toldRefusalAtMs = now
    log.warn('a delivery was refused', { reason, sofar: board.refused.count })
  }
}
