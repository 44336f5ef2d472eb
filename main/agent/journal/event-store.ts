import type { Database } from 'better-sqlite3'
import { Statements, transaction } from './statements.ts'

/** §8: the service retries a delivery for up to 24 hours. One more hour allows for clock changes. */
const KEEP_MS = 25 * 3_600_000
/** This limit is high, because an endpoint receives the events of all stations of its organisation. */
const MAX_EVENTS = 100_000
/** Sluice deletes old events only once per this many new events. */
const PRUNE_EVERY_EVENTS = 100

export type NotedEvent = {
  readonly id: string
  readonly type: string
  /** Null for events that concern no session. */
  readonly sessionId: string | null
}

export type EventFigures = { readonly lastAtMs: number | null; readonly lastDay: number }

/**
 * Events from the service (§6). Each event is stored once, even across restarts, for as long as the service may
 * redeliver it. Only the newest MAX_EVENTS events are kept.
 */
export class EventStore {
  readonly #db: Database
  readonly #statements: Statements
  readonly #now: () => number
  readonly #changed: (recordingId: number | null) => void
  #eventsUntilPrune = 0

  constructor(db: Database, now: () => number, changed: (recordingId: number | null) => void) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
  }

  /**
   * Stores an event. Returns false if the event is already stored. Ignores the status in the event, which may be
   * outdated. Instead, makes the session due for polling.
   */
  note(event: NotedEvent): boolean {
    const recordings = transaction(this.#db, (): readonly number[] | null => {
      const { changes } = this.#statements
        .of('INSERT OR IGNORE INTO webhook_events (id, type, session_id, received_at) VALUES (?, ?, ?, ?)')
        .run(event.id, event.type, event.sessionId, this.#now())
      if (changes === 0) return null
      this.#pruneSometimes()
      if (event.sessionId === null) return []
      return this.#statements
        .of(
          `UPDATE recordings SET next_attempt_at = 0
           WHERE session_id = ? AND state IN ('completing', 'processing') RETURNING id`,
        )
        .pluck()
        .all(event.sessionId) as number[]
    })
    if (recordings === null) return false
    for (const id of recordings.length === 0 ? [null] : recordings) this.#changed(id)
    return true
  }

  /** A position in the order of arrival, for `hasArrivedSince`. */
  mark(): number {
    return this.#statements.of('SELECT COALESCE(MAX(seq), 0) FROM webhook_events').pluck().get() as number
  }

  hasArrivedSince(sessionId: string, mark: number): boolean {
    return (
      this.#statements
        .of('SELECT 1 FROM webhook_events WHERE session_id = ? AND seq > ?')
        .get(sessionId, mark) !== undefined
    )
  }

  figures(): EventFigures {
    return this.#statements
      .of(
        `SELECT MAX(received_at) AS lastAtMs, COALESCE(SUM(received_at > ?), 0) AS lastDay FROM webhook_events`,
      )
      .get(this.#now() - 86_400_000) as EventFigures
  }

  lastAtMs(): number | null {
    return this.#statements.of('SELECT MAX(received_at) FROM webhook_events').pluck().get() as number | null
  }

  /**
   * The latest time in this range at which a session ended without an event. Null if there is none. Callers end the
   * range a little before now, because an event may be late.
   */
  lastMissedAtMs(fromMs: number, toMs: number): number | null {
    return this.#statements
      .of(
        `SELECT MAX(changed_at) FROM recordings
         WHERE changed_at BETWEEN ? AND ? AND state IN ('processed', 'failed') AND session_id IS NOT NULL
           AND duplicate_of IS NULL
           AND NOT EXISTS (SELECT 1 FROM webhook_events WHERE session_id = recordings.session_id)`,
      )
      .pluck()
      .get(fromMs, toMs) as number | null
  }

  #pruneSometimes(): void {
    if (this.#eventsUntilPrune > 0) {
      this.#eventsUntilPrune -= 1
      return
    }
    this.#eventsUntilPrune = PRUNE_EVERY_EVENTS
    this.#statements.of('DELETE FROM webhook_events WHERE received_at < ?').run(this.#now() - KEEP_MS)
    this.#statements
      .of('DELETE FROM webhook_events WHERE seq <= (SELECT MAX(seq) FROM webhook_events) - ?')
      .run(MAX_EVENTS)
  }
}
