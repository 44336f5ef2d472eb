import type { Database, Statement, Transaction } from 'better-sqlite3'
import { attemptWrite } from './journal-hold.ts'

/** A single write statement is its own transaction, so it may meet another program's lock too. */
export const prepared = (db: Database, sql: string): Statement => {
  const statement = db.prepare(sql)
  if (statement.readonly) return statement
  for (const name of ['run', 'get', 'all'] as const) {
    const call = statement[name].bind(statement) as (...values: unknown[]) => never
    statement[name] = (...values: unknown[]) =>
      db.inTransaction ? call(...values) : attemptWrite(db, () => call(...values))
  }
  return statement
}

/** Caches prepared statements: the stages run the same few queries all day. */
export class Statements {
  readonly #db: Database
  readonly #prepared = new Map<string, Statement>()

  constructor(db: Database) {
    this.#db = db
  }

  of(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = prepared(this.#db, sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}

const transactions = new WeakMap<Database, Transaction<(work: () => unknown) => unknown>>()

/** Cached per database: creating a transaction function takes longer than running it. */
const transactionOf = (db: Database): Transaction<(work: () => unknown) => unknown> => {
  const known = transactions.get(db)
  if (known !== undefined) return known
  const transaction = db.transaction((work: () => unknown) => work())
  transactions.set(db, transaction)
  return transaction
}

/**
 * Runs `work` in a transaction, or in a savepoint if one is open. Takes the write lock at the start: taken after a
 * read, SQLite refuses it if another process has written meanwhile (SQLITE_BUSY_SNAPSHOT).
 */
export const inTransaction = <T>(db: Database, work: () => T): T => {
  const begin = () => transactionOf(db).immediate(work) as T
  return db.inTransaction ? begin() : attemptWrite(db, begin)
}

/** A read transaction: all reads see the same moment. */
export const inOneRead = <T>(db: Database, ask: () => T): T =>
  db.inTransaction ? ask() : (transactionOf(db).deferred(ask) as T)

/** Joins an open transaction, without a savepoint: in a batch, a savepoint per row costs more than the row. */
export const atomically = <T>(db: Database, work: () => T): T =>
  db.inTransaction ? work() : inTransaction(db, work)

export const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
