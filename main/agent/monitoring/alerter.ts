import { alertBody, alertPost } from '../domain/alert-message.ts'
import { AlertWatch } from '../domain/alert-watch.ts'
import { needsIn } from '../domain/attention.ts'
import {
  ALERT_RETRIES_END_AFTER_MS,
  LONGEST_ALERT_RETRY_AFTER_MS,
  LONGEST_ALERT_RETRY_DELAY_MS,
} from '../domain/retry-limits.ts'
import { backOffMs } from '../domain/retry-policy.ts'
import type { WaitingAlert } from '../journal/alert-store.ts'
import { StageOf } from '../stage/stage.ts'
import { deliver } from './deliver.ts'

/**
 * Hard case: Sluice is killed while it sends an alert, or the receiver of the alert does not answer.
 * The journal stores the message before Sluice sends it. Sluice resends the message with the same id until the journal
 * stores that the receiver accepted it, or until a day has passed.
 */

const CHECK_INTERVAL_MS = 1_000

/**
 * Posts an alert when something begins to need attention, and another alert when that is resolved. The journal stores
 * what Sluice has reported, so a restart repeats no alert. The alerter sends one alert at a time, so that alerts arrive
 * in order.
 */
export class Alerter extends StageOf<
  'journal' | 'station' | 'settings' | 'clock' | 'random' | 'log' | 'newKey' | 'monitoring'
> {
  readonly name = 'alerter'
  readonly states = [] as const
  readonly #watch = new AlertWatch()

  async step(signal: AbortSignal): Promise<number> {
    const { journal } = this.world
    const settings = this.world.settings()
    const url = settings?.monitoring.alert_url
    if (url === undefined) {
      // Keep the open alerts while Sluice cannot know whether alerts are off: without settings, or with a locked
      // keychain.
      if (settings !== null && this.world.station.code('monitoring') === null) journal.alerts.forget()
      return CHECK_INTERVAL_MS
    }
    const waitingAlert = journal.alerts.waitingAlert()
    if (waitingAlert !== null) await this.#send(url, waitingAlert, signal)
    else this.#reportChanges()
    return CHECK_INTERVAL_MS
  }

  #reportChanges(): void {
    const { journal, clock, monitoring } = this.world
    const status = monitoring.status()
    if (status === null) return
    const needs = needsIn(status)
    const reported = journal.alerts.reportedNeeds()
    const subjects = reported.map(({ subject }) => subject)
    const change = this.#watch.check(needs, subjects, status, clock.monotonicMs())
    if (change === null) return
    const newNeeds = change.newNeeds.map((need) => ({ ...need, since: status.at }))
    const resolvedNeeds = reported.filter(({ subject }) => change.endedSubjects.includes(subject))
    const openNeeds = [...reported.filter((need) => !resolvedNeeds.includes(need)), ...newNeeds]
    const id = this.world.newKey()
    const event = newNeeds.length > 0 ? 'begins' : 'over'
    const body = alertBody({ id, event, status, newNeeds, resolvedNeeds, openNeeds })
    journal.alerts.report({ id, body, madeAtMs: clock.wallMs() }, newNeeds, change.endedSubjects)
    this.#watch.noteReported(change, clock.monotonicMs())
  }

  async #send(
    url: string,
    { id, body, attempts, ...waiting }: WaitingAlert,
    signal: AbortSignal,
  ): Promise<void> {
    const { journal, clock, random, log } = this.world
    const nowMs = clock.wallMs()
    // The second condition is for a clock that was set back by years: without it, an alert would wait for years.
    const isDue =
      nowMs >= waiting.nextAttemptAtMs || waiting.nextAttemptAtMs - nowMs > LONGEST_ALERT_RETRY_AFTER_MS
    if (!isDue) return
    const delivery = await deliver(this.world, 'alert', alertPost(url, id, body), signal)
    if (delivery.ok) {
      // `commit` retries while another program locks the journal. If this write were lost, Sluice would send the alert
      // twice.
      await journal.commit(() => journal.alerts.settle(id))
      return
    }
    // The agent is stopping. Its next start sends the alert again.
    if (signal.aborted) return
    if (nowMs - waiting.madeAtMs > ALERT_RETRIES_END_AFTER_MS) {
      log.warn('dropped an alert that could not be delivered for a day')
      journal.alerts.settle(id)
      return
    }
    const requestedDelayMs = Math.min(delivery.retryAfterMs ?? 0, LONGEST_ALERT_RETRY_AFTER_MS)
    const delayMs = Math.max(requestedDelayMs, backOffMs(attempts + 1, random, LONGEST_ALERT_RETRY_DELAY_MS))
    journal.alerts.postpone(id, nowMs + delayMs)
  }
}
