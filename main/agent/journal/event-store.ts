import type { Database } from 'better-sqlite3'
import { inTransaction, Statements } from './statements.ts'

/** §8: a delivery is retried for up to 24 hours; the hour is for clocks that are set. */
const KEPT_MS = 25 * 3_600_000
/** One endpoint hears of every session of its organisation, whichever station made it. */
const MOST_EVENTS = 100_000
/** Clearing up reads an index; now and then is enough. */
const CLEAR_EVERY = 100

export type NotedEvent = {
  readonly id: string
  readonly type: string
  /** Null for what is not about a session. */
  readonly sessionId: string | null
}

export type EventFigures = { readonly lastAtMs: number | null; readonly lastDay: number }

/** Events that the service has sent (§6): each once, also across restarts, and for as long as it may come again. */
export class EventStore {
  readonly #db: Database
  readonly #statements: Statements
  readonly #now: () => number
  readonly #changed: (recordingId: number | null) => void
  #untilClearing = 0

  constructor(db: Database, now: () => number, changed: (recordingId: number | null) => void) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
  }

  /**
   * False for one that is known already. The event's own word moves nothing, so that an old one that comes late moves
   * nothing back: the session it names is asked about at once, in the same transaction that notes it.
   */
  note(event: NotedEvent): boolean {
    const recordings = inTransaction(this.#db, (): readonly number[] | null => {
      const { changes } = this.#statements
        .of('INSERT OR IGNORE INTO webhook_events (id, type, session_id, received_at) VALUES (?, ?, ?, ?)')
        .run(event.id, event.type, event.sessionId, this.#now())
      if (changes === 0) return null
      this.#clearNowAndThen()
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

  /** Where the events stand now, to ask later what came since. */
  mark(): number {
    return this.#statements.of('SELECT COALESCE(MAX(seq), 0) FROM webhook_events').pluck().get() as number
  }

  cameSince(sessionId: string, mark: number): boolean {
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

  /** When a session last came to its end without its event: between these times, so that an event may be a little late. */
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

  #clearNowAndThen(): void {
    if (this.#untilClearing > 0) {
      this.#untilClearing -= 1
      return
    }
    this.#untilClearing = CLEAR_EVERY
    this.#statements.of('DELETE FROM webhook_events WHERE received_at < ?').run(this.#now() - KEPT_MS)
    this.#statements
      .of('DELETE FROM webhook_events WHERE seq <= (SELECT MAX(seq) FROM webhook_events) - ?')
      .run(MOST_EVENTS)
  }
}
