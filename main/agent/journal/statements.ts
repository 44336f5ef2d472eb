import type { Database, Statement } from 'better-sqlite3'

/** Each prepared once: the stages ask the same few questions all day. */
export class Statements {
  readonly #db: Database
  readonly #prepared = new Map<string, Statement>()

  constructor(db: Database) {
    this.#db = db
  }

  of(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const made = this.#db.prepare(sql)
    this.#prepared.set(sql, made)
    return made
  }
}

/**
 * Inside another one it is a savepoint. The right to write is waited for at the beginning: asked for only after
 * something was read, it is refused at once where another process has written meanwhile (SQLITE_BUSY_SNAPSHOT).
 */
export const inTransaction = <T>(db: Database, work: () => T): T => db.transaction(work).immediate()

/** A transaction of its own, or part of the one that is open: a savepoint for every row of a batch costs more than the row. */
export const atomically = <T>(db: Database, work: () => T): T =>
  db.inTransaction ? work() : inTransaction(db, work)

export const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
