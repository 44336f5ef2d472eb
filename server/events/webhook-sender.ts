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

const maxInFlight = 20
const retryDelayMs = 1_000

export type SenderDependencies = {
  readonly store: Store
  readonly clock: ServiceClock
  readonly hooks: ServiceHooks
  readonly log: RequestLog
  readonly webhookTargets: Reach
}

/**
 * Sends each queued event until its receiver answers with a 2xx status, for at most 24 hours. A crash or an error may
 * send an event twice.
 */
export class WebhookSender {
  readonly #dependencies: SenderDependencies
  readonly #timer: DueTimer
  readonly #client: WebhookClient
  readonly #abort = new AbortController()
  readonly #inFlight = new Map<number, Promise<void>>()

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies
    this.#client = new WebhookClient(dependencies.webhookTargets)
    this.#timer = new DueTimer(dependencies.clock, () => this.#startDue(), dependencies.store.pollIntervalMs)
  }

  get inFlightCount(): number {
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

  /** Does not wait for answers: a slow receiver must not delay the events for other receivers. */
  async #startDue(): Promise<number | null> {
    const { store, clock } = this.#dependencies
    // One time for both queries: with two times, both would miss a delivery that falls due in between.
    const now = clock.now()
    for (const delivery of await store.read(webhooks.due(now, maxInFlight + this.#inFlight.size))) {
      if (this.#inFlight.size >= maxInFlight) break
      if (this.#inFlight.has(delivery.id)) continue
      const attempt = this.#deliverIfFree(delivery)
        // The result is not stored, so the sender repeats the delivery after a pause. The disk may be full.
        .catch(async (error: unknown) => {
          this.#dependencies.log(`event ${delivery.event_id} failed: ${String(error)}`)
          await sleep(retryDelayMs, undefined, { signal: this.#abort.signal }).catch(() => {})
          return true
        })
        .then((wasAttempted) => {
          this.#inFlight.delete(delivery.id)
          // Without an attempt, a different instance has the delivery or the delivery is gone, so the next poll is
          // early enough.
          if (wasAttempted) this.wake()
        })
      this.#inFlight.set(delivery.id, attempt)
    }
    return store.read(webhooks.nextDueAfter(now))
  }

  /** Only one instance at a time delivers an event. Returns false if this instance did not attempt the delivery. */
  async #deliverIfFree({ id }: DeliveryRow): Promise<boolean> {
    const { store, clock } = this.#dependencies
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
    const { store, clock, hooks, log } = this.#dependencies
    const hook = hooks.delivery()
    const { delayMs } = hook
    if (delayMs !== null) {
      await store.write(() => webhooks.delay(delivery.id, clock.now() + delayMs))
      return
    }
    let failure: string | null = null
    for (let copy = 0; failure === null && copy < hook.copies; copy += 1)
      failure = await this.#post(delivery, hook)
    // The server aborted the request because it stops, so the attempt does not count as failed.
    if (this.#abort.signal.aborted && failure !== null) return
    const next =
      failure === null ? null : nextAttemptAt(delivery.created_at, delivery.attempts + 1, clock.now())
    const outcome =
      failure === null
        ? 'delivered'
        : `not delivered (${failure}), ${next === null ? 'dropped after 24 hours' : 'will retry'}`
    log(`event ${delivery.event_id} for ${delivery.endpoint_id}: ${outcome}`)
    await store.write(() =>
      next === null ? webhooks.drop(delivery.id) : webhooks.postpone(delivery.id, next),
    )
  }

  /** Returns why the receiver did not accept the event, or null. */
  async #post({ url, secret, body }: DeliveryRow, hook: DeliveryHook): Promise<string | null> {
    hook.beforeSend()
    const unixSeconds = Math.floor(this.#dependencies.clock.now() / 1000)
    const result = await this.#client.post(url, {
      body,
      headers: {
        'content-type': 'application/json',
        'service-signature': serviceSignature(secret, unixSeconds, body),
      },
      signal: this.#abort.signal,
    })
    if ('reason' in result) return result.reason
    return result.status >= 200 && result.status < 300 ? null : `status ${result.status}`
  }
}
