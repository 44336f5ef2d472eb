import type { Database } from 'better-sqlite3'
import { Statements } from './statements.ts'

type IntendedDeletion = { readonly sessionId: string; readonly requestedAtMs: number }

const MAX_DUE = 10

/**
 * Sessions that a user is deleting. Sluice adds a row before it sends the request, and deletes the row when it has
 * stored the result.
 */
export class DeletionStore {
  readonly #statements: Statements
  readonly #now: () => number

  constructor(db: Database, now: () => number) {
    this.#statements = new Statements(db)
    this.#now = now
  }

  intend(sessionId: string): void {
    this.#statements
      .of('INSERT OR REPLACE INTO session_deletions (session_id, asked_at) VALUES (?, ?)')
      .run(sessionId, this.#now())
  }

  has(sessionId: string): boolean {
    return (
      this.#statements.of('SELECT 1 FROM session_deletions WHERE session_id = ?').get(sessionId) !== undefined
    )
  }

  due(): IntendedDeletion[] {
    return this.#statements
      .of(
        `SELECT session_id AS sessionId, asked_at AS requestedAtMs FROM session_deletions
         WHERE next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ${MAX_DUE}`,
      )
      .all(this.#now()) as IntendedDeletion[]
  }

  wait(sessionId: string, untilMs: number): void {
    this.#statements
      .of('UPDATE session_deletions SET next_attempt_at = ? WHERE session_id = ?')
      .run(untilMs, sessionId)
  }

  forget(sessionId: string): void {
    this.#statements.of('DELETE FROM session_deletions WHERE session_id = ?').run(sessionId)
  }

  /** Deletions that the agent has not checked at the service yet. */
  countUnchecked(): number {
    const { n } = this.#statements
      .of('SELECT COUNT(*) AS n FROM session_deletions WHERE next_attempt_at = 0')
      .get() as { readonly n: number }
    return n
  }
}
