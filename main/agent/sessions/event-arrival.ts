import { EVENT_LATE_MS, EVENTS_FRESH_MS, eventsArrive } from '../domain/poll-interval.ts'
import type { StageWorld } from '../stage/stage.ts'

/** The result is cached for this time, because stages need it thousands of times and each check reads the journal. */
const CHECK_INTERVAL_MS = 5_000

/** Checks, at most every few seconds, whether the service's events reach this station. */
export class EventArrival {
  readonly #world: Pick<StageWorld, 'clock' | 'journal' | 'webhooks'>
  #checkAtMs = Number.NEGATIVE_INFINITY
  #hasArrivals = false

  constructor(world: Pick<StageWorld, 'clock' | 'journal' | 'webhooks'>) {
    this.#world = world
  }

  areArriving(): boolean {
    const { clock, journal, webhooks } = this.#world
    if (webhooks.board.listening === null || webhooks.secrets().length === 0) return false
    if (clock.monotonicMs() < this.#checkAtMs) return this.#hasArrivals
    this.#checkAtMs = clock.monotonicMs() + CHECK_INTERVAL_MS
    const nowMs = clock.wallMs()
    this.#hasArrivals = eventsArrive(
      {
        isListening: true,
        lastEventAtMs: journal.events.lastAtMs(),
        lastMissedAtMs: journal.events.lastMissedAtMs(nowMs - EVENTS_FRESH_MS, nowMs - EVENT_LATE_MS),
      },
      nowMs,
    )
    return this.#hasArrivals
  }
}
