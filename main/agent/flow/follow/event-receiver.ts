import type { DeliveryRefusal } from '../../../../shared/contract/webhooks.ts'
import type { NotedEvent } from '../../journal/event-store.ts'
import { ManagedListener } from '../../stage/managed-listener.ts'
import { StageOf } from '../../stage/stage.ts'

/**
 * Hard case: An event arrives twice, late or out of order.
 * The receiver journals the event's id before it answers. An event changes nothing by itself: it only makes the
 * follower poll at once.
 */

const CHECK_INTERVAL_MS = 1_000
/** Keeps the log short if a sender posts invalid deliveries all day. */
const LOG_REFUSAL_INTERVAL_MS = 60_000

/**
 * Receives the service's events and stores them in the journal, so that the follower polls at once. Off unless the
 * settings name a port. If it cannot listen, it reports a problem and retries, while polls continue.
 */
export class Receiver extends StageOf<
  'journal' | 'station' | 'settings' | 'service' | 'clock' | 'log' | 'guard' | 'webhooks'
> {
  readonly name = 'receiver'
  readonly states = [] as const
  readonly #listener = new ManagedListener({
    ...this.world,
    condition: 'webhooks',
    codes: { 'port-taken': 'webhook-port-taken', 'address-missing': 'webhook-address-missing' },
    purpose: 'service events',
    onListening: (address) => {
      this.world.webhooks.board.listening = address
    },
  })
  #loggedRefusalAtMs: number | null = null

  async step(): Promise<number> {
    const { webhooks, clock } = this.world
    await this.#listener.update(this.world.settings()?.webhooks.receive ?? null, (address) =>
      webhooks.open({
        ...address,
        secrets: webhooks.secrets,
        // Compare the time of a delivery (`t`) with the service's time, because this PC's clock may be wrong by days.
        // Use this PC's clock only until the service's time is known.
        nowMs: () => this.world.service()?.nowMs() ?? clock.wallMs(),
        storeEvent: (event) => this.#note(event),
        onRefused: (reason) => this.#noteRefusal(reason),
      }),
    )
    if (this.#listener.isOpen) this.#checkSecret()
    return CHECK_INTERVAL_MS
  }

  close(): Promise<void> {
    return this.#listener.close()
  }

  #checkSecret(): void {
    const { station, webhooks } = this.world
    if (webhooks.secrets().length > 0) station.clear('webhooks')
    else if (station.code('webhooks') === null || station.isProbeDue('webhooks'))
      station.raise('webhooks', 'webhook-secret-missing')
  }

  /**
   * False if the journal could not store the event. The service then resends it (§6.2), because it gets no
   * acknowledgement.
   */
  #note(event: NotedEvent): boolean {
    let isNoted = false
    this.world.guard('an event of the service', () => {
      const isNew = this.world.journal.events.note(event)
      isNoted = true
      if (isNew) this.world.log.info('the service sent an event', { ...event })
    })
    return isNoted
  }

  #noteRefusal(reason: DeliveryRefusal): void {
    const { webhooks, clock, log } = this.world
    const { board } = webhooks
    board.refused = { count: (board.refused?.count ?? 0) + 1, lastAtMs: clock.wallMs(), reason }
    const nowMs = clock.monotonicMs()
    if (this.#loggedRefusalAtMs !== null && nowMs - this.#loggedRefusalAtMs < LOG_REFUSAL_INTERVAL_MS) return
    this.#loggedRefusalAtMs = nowMs
    log.warn('the receiver refused a delivery', { reason, count: board.refused.count })
  }
}
