import { alertBody, alertPost } from '../domain/alert-message.ts'
import { AlertWatch } from '../domain/alert-watch.ts'
import { needsIn } from '../domain/attention.ts'
import {
  ALERT_RETRIES_END_AFTER_MS,
  backOffMs,
  LONGEST_ALERT_RETRY_AFTER_MS,
  LONGEST_ALERT_RETRY_DELAY_MS,
} from '../domain/retry-policy.ts'
import type { WaitingAlert } from '../journal/alert-store.ts'
import { StageOf } from '../stage/stage.ts'
import { deliver } from './deliver.ts'

const LOOK_MS = 1_000

/**
 * Tells somebody outside once that something needs a person, and once that it is over. What was told stands in the
 * journal, so that a restart tells nothing twice; one message is on its way at a time, so that they arrive in order.
 */
export class Alerter extends StageOf<
  'journal' | 'station' | 'settings' | 'clock' | 'random' | 'log' | 'newKey' | 'monitoring'
> {
  readonly name = 'alerter'
  readonly takes = [] as const
  readonly #watch = new AlertWatch()

  async step(signal: AbortSignal): Promise<number> {
    const { journal } = this.world
    const settings = this.world.settings()
    const url = settings?.monitoring.alert_url
    if (url === undefined) {
      // Before the settings are known, or while the keychain keeps the URL, nobody has said that nobody is to be told.
      if (settings !== null && this.world.station.code('monitoring') === null) journal.alerts.forget()
      return LOOK_MS
    }
    const waiting = journal.alerts.waiting()
    if (waiting !== null) await this.#send(url, waiting, signal)
    else this.#look()
    return LOOK_MS
  }

  #look(): void {
    const { journal, clock, monitoring } = this.world
    const status = monitoring.status()
    if (status === null) return
    const needs = needsIn(status)
    const told = journal.alerts.told()
    const subjects = told.map(({ subject }) => subject)
    const change = this.#watch.look(needs, subjects, status, clock.monotonicMs())
    if (change === null) return
    const begins = change.begins.map((need) => ({ ...need, since: status.at }))
    const ends = told.filter(({ subject }) => change.ends.includes(subject))
    const open = [...told.filter((need) => !ends.includes(need)), ...begins]
    const id = this.world.newKey()
    const event = begins.length > 0 ? 'begins' : 'over'
    const body = alertBody({ id, event, status, begins, ends, open })
    journal.alerts.tell({ id, body, madeAtMs: clock.wallMs() }, begins, change.ends)
    this.#watch.reported(change, clock.monotonicMs())
  }

  async #send(
    url: string,
    { id, body, attempts, ...waiting }: WaitingAlert,
    signal: AbortSignal,
  ): Promise<void> {
    const { journal, clock, random, log } = this.world
    const nowMs = clock.wallMs()
    // A clock that was set back would keep it for years.
    const isDue =
      nowMs >= waiting.nextAttemptAtMs || waiting.nextAttemptAtMs - nowMs > LONGEST_ALERT_RETRY_AFTER_MS
    if (!isDue) return
    const delivery = await deliver(this.world, 'alert', alertPost(url, id, body), signal)
    if (delivery.ok) {
      // Another program may hold the journal just now, and whoever reads alerts would get this one twice.
      await journal.commit(() => journal.alerts.settle(id))
      return
    }
    // The agent ends: at its next start it is sent again.
    if (signal.aborted) return
    if (nowMs - waiting.madeAtMs > ALERT_RETRIES_END_AFTER_MS) {
      log.warn('an alert could not be delivered for a day and is given up')
      journal.alerts.settle(id)
      return
    }
    const wantedMs = Math.min(delivery.retryAfterMs ?? 0, LONGEST_ALERT_RETRY_AFTER_MS)
    const afterMs = Math.max(wantedMs, backOffMs(attempts + 1, random, LONGEST_ALERT_RETRY_DELAY_MS))
    journal.alerts.postpone(id, nowMs + afterMs)
  }
}
