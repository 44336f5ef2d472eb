import type { Status } from '../../../shared/status/status.ts'
import { updateWords } from '../../../shared/words/update-words.ts'
import { fullHeadline } from '../../../shared/words/words.ts'
import { isChecked } from '../domain/alert-watch.ts'
import { needsIn } from '../domain/attention.ts'
import { type HeartbeatKind, heartbeatMessage } from '../domain/heartbeat.ts'
import { backOffMs } from '../domain/retry-policy.ts'
import { StageOf } from '../stage/stage.ts'
import { deliver } from './deliver.ts'

const CHECK_INTERVAL_MS = 1_000
/** After a start, Sluice detects existing problems within this time. Before that, "ok" would be premature. */
const FIRST_BEAT_DELAY_MS = 5_000
/** The minimum interval between two heartbeats while a problem comes and goes. */
const MIN_INTERVAL_MS = 5_000
/** A shutdown waits no longer than this for the last message. */
const CLOSE_TIMEOUT_MS = 2_000

const REMEMBERED_NEEDS = 'heartbeat'

/**
 * Reports to an external heartbeat service that the station is alive, and whether it has problems. That service raises
 * an alarm if a heartbeat is missing.
 */
export class HeartbeatSender extends StageOf<
  'journal' | 'settings' | 'clock' | 'random' | 'log' | 'monitoring'
> {
  readonly name = 'heartbeat sender'
  readonly states = [] as const
  /** The URL to which Sluice sent the start message, even if it did not arrive. */
  #startedUrl: string | null = null
  #lastBeat: HeartbeatKind | null = null
  #failures = 0
  #lastBeatAtMs = Number.NEGATIVE_INFINITY
  #nextBeatAtMs = 0

  async step(signal: AbortSignal): Promise<number> {
    const { monitoring, clock } = this.world
    const { heartbeat_url: url, heartbeat_seconds = 0 } = this.world.settings()?.monitoring ?? {}
    const status = url === undefined ? null : monitoring.status()
    if (url === undefined || status === null) {
      if (url === undefined) this.#startedUrl = null
      return CHECK_INTERVAL_MS
    }
    if (url !== this.#startedUrl) await this.#announceStart(url, status, signal)
    const beat: HeartbeatKind = this.#needs(status).length > 0 ? 'fail' : 'ok'
    const nowMs = clock.monotonicMs()
    const hasChanged = this.#lastBeat !== null && this.#failures === 0 && beat !== this.#lastBeat
    if (nowMs < this.#nextBeatAtMs && !(hasChanged && nowMs - this.#lastBeatAtMs >= MIN_INTERVAL_MS))
      return CHECK_INTERVAL_MS
    this.#lastBeatAtMs = nowMs
    const { ok } = await deliver(
      this.world,
      'heartbeat',
      heartbeatMessage(url, beat, `${fullHeadline(status.station)} · ${updateWords(status.update)}`),
      signal,
    )
    this.#failures = ok ? 0 : this.#failures + 1
    if (ok) this.#lastBeat = beat
    const intervalMs = heartbeat_seconds * 1000
    this.#nextBeatAtMs =
      nowMs + (ok ? intervalMs : Math.min(backOffMs(this.#failures, this.world.random), intervalMs))
    return Math.min(CHECK_INTERVAL_MS, intervalMs)
  }

  /** What needs attention now, plus earlier needs that Sluice cannot check now or has not checked since a restart. */
  #needs(status: Status): readonly string[] {
    const { activity } = this.world.journal
    const rememberedNeeds = activity.recall<readonly string[]>(REMEMBERED_NEEDS) ?? []
    const currentNeeds = needsIn(status).map(({ subject }) => subject)
    const uncheckedNeeds = rememberedNeeds.filter(
      (subject) => !currentNeeds.includes(subject) && !isChecked(subject, status),
    )
    const needs = [...currentNeeds, ...uncheckedNeeds]
    if (JSON.stringify(needs) !== JSON.stringify(rememberedNeeds))
      activity.remember(REMEMBERED_NEEDS, needs.length === 0 ? null : needs)
    return needs
  }

  async close(): Promise<void> {
    const url = this.#startedUrl
    const status = url === null ? null : this.world.monitoring.status()
    if (url === null || status === null) return
    const text = `Sluice was closed on ${status.station.name}. ${fullHeadline(status.station)}`
    await deliver(
      this.world,
      'heartbeat',
      heartbeatMessage(url, 'log', text),
      AbortSignal.timeout(CLOSE_TIMEOUT_MS),
    )
  }

  /**
   * Sends a message to the log of the heartbeat service, which then shows whether a PC was restarted or offline. A lost
   * message does no harm.
   */
  async #announceStart(url: string, { station, update }: Status, signal: AbortSignal): Promise<void> {
    this.#startedUrl = url
    this.#lastBeat = null
    this.#failures = 0
    this.#nextBeatAtMs = this.world.clock.monotonicMs() + FIRST_BEAT_DELAY_MS
    const text = `Sluice runs on ${station.name}. ${fullHeadline(station)} · ${updateWords(update)}`
    await deliver(this.world, 'heartbeat', heartbeatMessage(url, 'log', text), signal)
  }
}
