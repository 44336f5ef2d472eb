import { EVENT_LATE_MS, EVENTS_FRESH_MS, eventsArrive } from '../domain/poll-interval.ts'
import type { StageWorld } from '../stage/stage.ts'

/** It is read from the journal, by stages that are woken by the thousand. */
const LOOK_MS = 5_000

/** Whether the service's events reach this station, as of a few seconds ago. */
export class EventsHeard {
  readonly #world: Pick<StageWorld, 'clock' | 'journal' | 'webhooks'>
  #lookAtMs = Number.NEGATIVE_INFINITY
  #arrive = false

  constructor(world: Pick<StageWorld, 'clock' | 'journal' | 'webhooks'>) {
    this.#world = world
  }

  arrive(): boolean {
    const { clock, journal, webhooks } = this.#world
    if (webhooks.board.listening === null || webhooks.secrets().length === 0) return false
    if (clock.monotonicMs() < this.#lookAtMs) return this.#arrive
    this.#lookAtMs = clock.monotonicMs() + LOOK_MS
    const now = clock.wallMs()
    this.#arrive = eventsArrive(
      {
        listening: true,
        lastEventAtMs: journal.events.lastAtMs(),
        lastMissedAtMs: journal.events.lastMissedAtMs(now - EVENTS_FRESH_MS, now - EVENT_LATE_MS),
      },
      now,
    )
    return this.#arrive
  }
}
