import type { Database } from 'better-sqlite3'
import { fileNeededStates } from '../domain/states.ts'
import { Statements } from './statements.ts'

/** Recordings still to be sent that continue by themselves, as in `continuesByItself` of domain/standing. */
const WAITS = `state IN (${fileNeededStates.map((state) => `'${state}'`).join(', ')})
  AND paused = 0 AND COALESCE(ends_by, 'time') = 'time'`

/** This recording and all behind it, in the order in which the stages take them. */
export const queuedFrom = (id: number): { readonly sql: string; readonly values: readonly unknown[] } => ({
  sql: `${WAITS} AND (-prioritised, found_at, id) >= (SELECT -prioritised, found_at, id FROM recordings WHERE id = ?)`,
  values: [id],
})

/** The queue in sending order: prioritised first, then oldest first. */
export class SendQueue {
  readonly #statements: Statements

  constructor(db: Database) {
    this.#statements = new Statements(db)
  }

  /** The recordings that do not fit into this many bytes; null if all fit. */
  notFitting(bytes: number): { readonly fromId: number; readonly recordings: number } | null {
    const waiting = this.#statements
      .of(
        `SELECT id, bytes - bytes_sent AS bytes FROM recordings WHERE ${WAITS} ORDER BY -prioritised, found_at, id`,
      )
      .iterate() as IterableIterator<{ id: number; bytes: number }>
    let upTo = 0
    let fromId: number | null = null
    for (const row of waiting) {
      upTo += row.bytes
      if (upTo <= bytes) continue
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
