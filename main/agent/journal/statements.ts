import type { Database, Statement, Transaction } from 'better-sqlite3'
import { attemptWrite } from './journal-hold.ts'

/** A statement that writes by itself is a transaction of its own: it too may meet another program's write. */
export const prepared = (db: Database, sql: string): Statement => {
  const made = db.prepare(sql)
  if (made.readonly) return made
  for (const name of ['run', 'get', 'all'] as const) {
    const call = made[name].bind(made) as (...values: unknown[]) => never
    made[name] = (...values: unknown[]) =>
      db.inTransaction ? call(...values) : attemptWrite(db, () => call(...values))
  }
  return made
}

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
    const made = prepared(this.#db, sql)
    this.#prepared.set(sql, made)
    return made
  }
}

const transactions = new WeakMap<Database, Transaction<(work: () => unknown) => unknown>>()

/** One for each database: to make one takes longer than to begin and end it. */
const transactionOf = (db: Database): Transaction<(work: () => unknown) => unknown> => {
  const known = transactions.get(db)
  if (known !== undefined) return known
  const made = db.transaction((work: () => unknown) => work())
  transactions.set(db, made)
  return made
}

/**
 * Inside another one it is a savepoint. The right to write is waited for at the beginning: asked for only after
 * something was read, it is refused at once where another process has written meanwhile (SQLITE_BUSY_SNAPSHOT).
 */
export const inTransaction = <T>(db: Database, work: () => T): T => {
  const begin = () => transactionOf(db).immediate(work) as T
  return db.inTransaction ? begin() : attemptWrite(db, begin)
}

/** Nothing is written in it: what is asked is answered as of one moment. */
export const inOneRead = <T>(db: Database, ask: () => T): T =>
  db.inTransaction ? ask() : (transactionOf(db).deferred(ask) as T)

/** A transaction of its own, or part of the one that is open: a savepoint for every row of a batch costs more than the row. */
export const atomically = <T>(db: Database, work: () => T): T =>
  db.inTransaction ? work() : inTransaction(db, work)

export const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
