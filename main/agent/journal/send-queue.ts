import type { Database } from 'better-sqlite3'
import { fileNeededStates } from '../domain/states.ts'
import { Statements } from './statements.ts'

/**
 * Selects recordings that are still to be sent and that continue without a user (`continuesByItself` in
 * `domain/standing.ts`).
 */
const QUEUED_SQL = `state IN (${fileNeededStates.map((state) => `'${state}'`).join(', ')})
  AND paused = 0 AND COALESCE(ends_by, 'time') = 'time'`

/** Selects this recording and all behind it in the queue. */
export const queuedFrom = (id: number): { readonly sql: string; readonly values: readonly unknown[] } => ({
  sql: `${QUEUED_SQL} AND (-prioritised, found_at, id) >= (SELECT -prioritised, found_at, id FROM recordings WHERE id = ?)`,
  values: [id],
})

/** The queue in sending order: prioritised first, then oldest first. */
export class SendQueue {
  readonly #statements: Statements

  constructor(db: Database) {
    this.#statements = new Statements(db)
  }

  /**
   * The first recording that does not fit into this capacity, and the number of recordings from that one on. Null if
   * all fit.
   */
  findNotFitting(capacityBytes: number): { readonly fromId: number; readonly recordings: number } | null {
    const waiting = this.#statements
      .of(
        `SELECT id, bytes - bytes_sent AS bytes FROM recordings WHERE ${QUEUED_SQL} ORDER BY -prioritised, found_at, id`,
      )
      .iterate() as IterableIterator<{ id: number; bytes: number }>
    let totalBytes = 0
    let fromId: number | null = null
    for (const row of waiting) {
      totalBytes += row.bytes
      if (totalBytes <= capacityBytes) continue
      fromId = row.id
      break
    }
    if (fromId === null) return null
    const { sql, values } = queuedFrom(fromId)
    const { n } = this.#statements.of(`SELECT COUNT(*) AS n FROM recordings WHERE ${sql}`).get(...values) as {
      n: number
    }
    return { fromId, recordings: n }
  }
}
