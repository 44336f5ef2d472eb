import type { Database } from 'better-sqlite3'
import type { RecordingState } from '../../../shared/status/status.ts'
import { NEVER_MS } from '../domain/problems.ts'
import { Statements } from './statements.ts'

/** The upper limit of every retry delay. */
const MAX_WAIT_MS = 25 * 3_600_000

/** The waits before the next attempts. */
export class WaitStore {
  readonly #statements: Statements
  readonly #now: () => number

  constructor(db: Database, now: () => number) {
    this.#statements = new Statements(db)
    this.#now = now
  }

  /**
   * Call after the clock was set back. Shortens all waits by the difference, except waits that only a user or the
   * return of a folder ends.
   */
  shorten(byMs: number): void {
    for (const table of [
      'recordings',
      'discarded_sessions',
      'unsettled_creations',
      'removals',
      'session_deletions',
    ])
      this.#statements
        .of(
          `UPDATE ${table} SET next_attempt_at = MAX(0, next_attempt_at - ?)
           WHERE next_attempt_at > 0 AND next_attempt_at < ${NEVER_MS}`,
        )
        .run(Math.round(byMs))
  }

  /**
   * Call at a start. Clears waits that Sluice wrote while the clock was ahead. Tables other than `recordings` do not
   * store when a row was written. In those, clears waits that are longer than every retry delay.
   */
  forgetFuture(): void {
    const now = this.#now()
    this.#statements
      .of(
        `UPDATE recordings SET next_attempt_at = 0
         WHERE changed_at > ? AND next_attempt_at > ? AND next_attempt_at < ${NEVER_MS}`,
      )
      .run(now, now)
    for (const table of ['discarded_sessions', 'unsettled_creations', 'removals', 'session_deletions'])
      this.#statements
        .of(`UPDATE ${table} SET next_attempt_at = 0 WHERE next_attempt_at > ?`)
        .run(now + MAX_WAIT_MS)
  }

  /** Lets waits in this state end at `atMs` at the latest. A recording with a problem keeps its wait. */
  cap(state: RecordingState, atMs: number): void {
    this.#statements
      .of(
        'UPDATE recordings SET next_attempt_at = ? WHERE state = ? AND ends_by IS NULL AND next_attempt_at > ?',
      )
      .run(Math.round(atMs), state, Math.round(atMs))
  }
}
