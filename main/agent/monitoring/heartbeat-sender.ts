import type { Status } from '../../../shared/status/status.ts'
import { isLookedAt } from '../domain/alert-watch.ts'
import { needsIn } from '../domain/attention.ts'
import { type Beat, heartbeatMessage } from '../domain/heartbeat.ts'
import { backOffMs } from '../domain/retry-policy.ts'
import { StageOf } from '../stage/stage.ts'
import { deliver } from './deliver.ts'

const LOOK_MS = 1_000
/** What is wrong shows itself within this time after a start; "all is well" may wait for it. */
const FIRST_AFTER_MS = 5_000
/** What comes and goes changes its mind no more often. */
const SHORTEST_GAP_MS = 5_000
/** An end is not held up for a line in somebody's log. */
const LAST_WORD_MS = 2_000

const NEEDS = 'heartbeat'

/** Tells a dead-man service that the station is alive and well, or alive and not. One that stays away is its alarm. */
export class Heart extends StageOf<'journal' | 'settings' | 'clock' | 'random' | 'log' | 'monitoring'> {
  readonly name = 'heart'
  readonly takes = [] as const
  /** The URL that has been told of this start. */
  #begun: string | null = null
  #told: Beat | null = null
  #failures = 0
  #beatAtMs = Number.NEGATIVE_INFINITY
  #nextAtMs = 0

  async step(signal: AbortSignal): Promise<number> {
    const { monitoring, clock } = this.world
    const { heartbeat_url: url, heartbeat_seconds = 0 } = this.world.settings()?.monitoring ?? {}
    const status = url === undefined ? null : monitoring.status()
    if (url === undefined || status === null) {
      if (url === undefined) this.#begun = null
      return LOOK_MS
    }
    if (url !== this.#begun) await this.#begin(url, status, signal)
    const beat: Beat = this.#needs(status).length > 0 ? 'fail' : 'ok'
    const nowMs = clock.monotonicMs()
    const isNews = this.#told !== null && this.#failures === 0 && beat !== this.#told
    if (nowMs < this.#nextAtMs && !(isNews && nowMs - this.#beatAtMs >= SHORTEST_GAP_MS)) return LOOK_MS
    this.#beatAtMs = nowMs
    const { ok } = await deliver(
      this.world,
      'heartbeat',
      heartbeatMessage(url, beat, status.station.headline),
      signal,
    )
    this.#failures = ok ? 0 : this.#failures + 1
    if (ok) this.#told = beat
    const intervalMs = heartbeat_seconds * 1000
    this.#nextAtMs =
      nowMs + (ok ? intervalMs : Math.min(backOffMs(this.#failures, this.world.random), intervalMs))
    return Math.min(LOOK_MS, intervalMs)
  }

  /** What needs somebody, and what did before a restart and has not been looked at since: that is not mended. */
  #needs(status: Status): readonly string[] {
    const { activity } = this.world.journal
    const before = activity.remembered<readonly string[]>(NEEDS) ?? []
    const present = needsIn(status).map(({ subject }) => subject)
    const unknown = before.filter((subject) => !present.includes(subject) && !isLookedAt(subject, status))
    const needs = [...present, ...unknown]
    if (JSON.stringify(needs) !== JSON.stringify(before))
      activity.remember(NEEDS, needs.length === 0 ? null : needs)
    return needs
  }

  async close(): Promise<void> {
    const url = this.#begun
    const status = url === null ? null : this.world.monitoring.status()
    if (url === null || status === null) return
    const text = `Sluice was closed on ${status.station.name}. ${status.station.headline}`
    await deliver(
      this.world,
      'heartbeat',
      heartbeatMessage(url, 'log', text),
      AbortSignal.timeout(LAST_WORD_MS),
    )
  }

  /** One line that tells a restart from a PC that was away. If it does not get through, nothing is missing. */
  async #begin(url: string, { station }: Status, signal: AbortSignal): Promise<void> {
    this.#begun = url
    this.#told = null
    this.#failures = 0
    this.#nextAtMs = this.world.clock.monotonicMs() + FIRST_AFTER_MS
    const text = `Sluice runs on ${station.name}. ${station.headline}`
    await deliver(this.world, 'heartbeat', heartbeatMessage(url, 'log', text), signal)
  }
}
