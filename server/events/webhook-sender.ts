import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceClock } from '../clock.ts'
import type { RequestLog } from '../context.ts'
import { DueTimer } from '../due-timer.ts'
import type { DeliveryHook, ServiceHooks } from '../hooks.ts'
import type { Store } from '../store/store.ts'
import { type DeliveryRow, webhooks } from '../store/webhooks.ts'
import { nextAttemptAt } from './backoff.ts'
import type { Reach } from './reach.ts'
import { serviceSignature } from './signature.ts'
import { WebhookClient } from './webhook-client.ts'

/** §6.2: timeout for the receiver's answer. */
const answerTimeoutMs = 10_000
const atOnce = 20
const afterFailureMs = 1_000

export type SenderParts = {
  readonly store: Store
  readonly clock: ServiceClock
  readonly hooks: ServiceHooks
  readonly log: RequestLog
  readonly webhookTargets: Reach
}

/** Delivers queued events at least once: it removes a delivery only after a 2xx or after 24 hours. */
export class WebhookSender {
  readonly #parts: SenderParts
  readonly #timer: DueTimer
  readonly #client: WebhookClient
  readonly #abort = new AbortController()
  readonly #inFlight = new Map<number, Promise<void>>()

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#client = new WebhookClient(parts.webhookTargets)
    this.#timer = new DueTimer(parts.clock, () => this.#startDue(), parts.store.pollEveryMs)
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  wake(): void {
    this.#timer.wake()
  }

  /** Pending deliveries stay queued in the store. */
  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#timer.stop()
    await Promise.all(this.#inFlight.values())
    await this.#client.close()
  }

  /** Does not wait for answers: a slow receiver must not delay the others. */
  async #startDue(): Promise<number | null> {
    const { store, clock } = this.#parts
    // Use one time for both queries. With two times, a delivery due in between would be in neither result.
    const now = clock.now()
    for (const delivery of await store.read(webhooks.due(now, atOnce + this.#inFlight.size))) {
      if (this.#inFlight.size >= atOnce) break
      if (this.#inFlight.has(delivery.id)) continue
      const done = this.#deliverIfFree(delivery)
        // The delivery is not recorded, so the sender repeats it (at least once). After a full disk, it waits first.
        .catch(async (error: unknown) => {
          this.#parts.log(`event ${delivery.event_id} failed: ${String(error)}`)
          await sleep(afterFailureMs, undefined, { signal: this.#abort.signal }).catch(() => {})
          return true
        })
        .then((attempted) => {
          this.#inFlight.delete(delivery.id)
          // A different instance delivers it. The next poll is early enough.
          if (attempted) this.wake()
        })
      this.#inFlight.set(delivery.id, done)
    }
    return store.read(webhooks.nextDueAfter(now))
  }

  /** Only one of several instances delivers. Returns false on the others. */
  async #deliverIfFree({ id }: DeliveryRow): Promise<boolean> {
    const { store, clock } = this.#parts
    const release = await store.claims.take(`deliver ${id}`)
    if (release === null) return false
    try {
      const delivery = await store.read(webhooks.stillDue(id, clock.now()))
      if (delivery !== undefined) await this.#deliver(delivery)
      return delivery !== undefined
    } finally {
      await release()
    }
  }

  async #deliver(delivery: DeliveryRow): Promise<void> {
    const { store, clock, hooks, log } = this.#parts
    const hook = hooks.delivery()
    const { holdMs } = hook
    if (holdMs !== null) {
      await store.write(() => webhooks.hold(delivery.id, clock.now() + holdMs))
      return
    }
    let accepted = true
    for (let copy = 0; accepted && copy < hook.copies; copy += 1) accepted = await this.#post(delivery, hook)
    // The server aborted the request, so this does not count as a failed attempt.
    if (this.#abort.signal.aborted && !accepted) return
    const next = accepted ? null : nextAttemptAt(delivery.created_at, delivery.attempts + 1, clock.now())
    log(
      `event ${delivery.event_id} ${accepted ? 'delivered' : next === null ? 'given up' : 'not delivered, will retry'}`,
    )
    await store.write(() =>
      next === null ? webhooks.drop(delivery.id) : webhooks.postpone(delivery.id, next),
    )
  }

  async #post({ url, secret, body }: DeliveryRow, hook: DeliveryHook): Promise<boolean> {
    hook.sending()
    const unixSeconds = Math.floor(this.#parts.clock.now() / 1000)
    // The timer keeps the signal alive. The garbage collector may collect a signal that only `AbortSignal.any` references.
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), answerTimeoutMs)
    const status = await this.#client
      .post(url, {
        body,
        headers: {
          'content-type': 'application/json',
          'service-signature': serviceSignature(secret, unixSeconds, body),
        },
        signal: AbortSignal.any([this.#abort.signal, timeout.signal]),
      })
      .finally(() => clearTimeout(timer))
    return status !== null && status >= 200 && status < 300
  }
}
