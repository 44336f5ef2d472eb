import type { Database } from 'better-sqlite3'
import type { Recording } from './row.ts'
import { Statements } from './statements.ts'

/**
 * The content of a session that Sluice gave up. Sluice deletes the session only if the service reports the same content
 * for it.
 */
export type SessionContent = { readonly sha256: string | null; readonly bytes: number }

export type GivenUpSession = {
  readonly sessionId: string
  readonly reason: string
  readonly attempts: number
  readonly sha256: string | null
  readonly bytes: number | null
}

/**
 * A creation request without an answer. If Sluice repeats the request with the same idempotency key and body, the
 * service returns the same session (§8).
 */
export type UnsettledCreation = {
  readonly key: string
  readonly body: string
  readonly requestedAtMs: number
  /** The time of the request by the service's clock. Null if Sluice did not know that time. */
  readonly requestedServiceMs: number | null
  readonly reason: string
  readonly attempts: number
}

/** Sessions to delete at the service, and requests that may have created a session. */
export class GivenUpStore {
  readonly #statements: Statements
  readonly #now: () => number
  readonly #changed: () => void

  constructor(db: Database, now: () => number, changed: () => void) {
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
  }

  /**
   * Gives up the session of a recording, or the request that may have created a session. A session that Sluice found by
   * a search may belong to a different station. Sluice deletes that session only if the service returns it for this
   * recording's own idempotency key (§8).
   */
  addSessionOf(recording: Recording, reason: string): void {
    const { sessionId, adopted, createKey, createKeyAtMs, createKeyServiceMs, createBody, completeKey } =
      recording
    // With a `completeKey`, the session may be complete, and Sluice never deletes a complete session.
    if (sessionId !== null && completeKey !== null) return
    if (createKey === null) return
    const content = { sha256: recording.sha256, bytes: recording.identity.sizeBytes }
    if (sessionId !== null && !adopted)
      this.addSession(sessionId, reason, requestedContent(createBody) ?? content)
    else if (createBody !== null) {
      this.#statements
        .of(
          `INSERT OR IGNORE INTO unsettled_creations (key, body, asked_at, asked_service_at, reason)
           VALUES (?, ?, ?, ?, ?)`,
        )
        .run(createKey, createBody, createKeyAtMs ?? 0, createKeyServiceMs, reason)
      this.#changed()
    }
  }

  addSession(sessionId: string, reason: string, { sha256, bytes }: SessionContent): void {
    this.#statements
      .of('INSERT OR IGNORE INTO discarded_sessions (session_id, reason, sha256, bytes) VALUES (?, ?, ?, ?)')
      .run(sessionId, reason, sha256, bytes)
    this.#changed()
  }

  /** Whether Sluice has given up the session and will delete it. If so, no recording may resume the session. */
  has(sessionId: string): boolean {
    return (
      this.#statements.of('SELECT 1 FROM discarded_sessions WHERE session_id = ?').get(sessionId) !==
      undefined
    )
  }

  sessionsDue(limit: number): GivenUpSession[] {
    return this.#statements
      .of(
        `SELECT session_id AS sessionId, reason, attempts, sha256, bytes FROM discarded_sessions
         WHERE next_attempt_at <= ? LIMIT ?`,
      )
      .all(this.#now(), limit) as GivenUpSession[]
  }

  waitWithSession(sessionId: string, untilMs: number): void {
    this.#statements
      .of('UPDATE discarded_sessions SET attempts = attempts + 1, next_attempt_at = ? WHERE session_id = ?')
      .run(untilMs, sessionId)
  }

  forgetSession(sessionId: string): void {
    this.#statements.of('DELETE FROM discarded_sessions WHERE session_id = ?').run(sessionId)
    this.#changed()
  }

  creationsDue(limit: number): UnsettledCreation[] {
    return this.#statements
      .of(
        `SELECT key, body, asked_at AS requestedAtMs, asked_service_at AS requestedServiceMs, reason, attempts
         FROM unsettled_creations
         WHERE next_attempt_at <= ? LIMIT ?`,
      )
      .all(this.#now(), limit) as UnsettledCreation[]
  }

  waitWithCreation(key: string, untilMs: number): void {
    this.#statements
      .of('UPDATE unsettled_creations SET attempts = attempts + 1, next_attempt_at = ? WHERE key = ?')
      .run(untilMs, key)
  }

  forgetCreation(key: string): void {
    this.#statements.of('DELETE FROM unsettled_creations WHERE key = ?').run(key)
    this.#changed()
  }

  /**
   * Counts the sessions to delete and the unsettled creations. `untried`: those that Sluice has not yet tried to delete
   * or settle.
   */
  count(): { readonly all: number; readonly untried: number } {
    return this.#statements
      .of(
        `SELECT COUNT(*) AS "all", COALESCE(SUM(attempts = 0), 0) AS untried FROM
           (SELECT attempts FROM discarded_sessions UNION ALL SELECT attempts FROM unsettled_creations)`,
      )
      .get() as { all: number; untried: number }
  }
}

/** Reads the content from the creation request, not from the file, which may have changed since the request. */
const requestedContent = (createBody: string | null): SessionContent | null => {
  if (createBody === null) return null
  const { sha256, bytes } = JSON.parse(createBody) as Partial<SessionContent>
  return sha256 === undefined || bytes === undefined ? null : { sha256, bytes }
}
