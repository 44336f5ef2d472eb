import type { Database, Statement, Transaction } from 'better-sqlite3'
import { attemptWrite } from './write-lock.ts'

/**
 * Prepares a statement. Outside a transaction, a write statement runs through `attemptWrite`, because another program
 * may hold the lock.
 */
export const prepareStatement = (db: Database, sql: string): Statement => {
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
    const cached = this.#prepared.get(sql)
    if (cached !== undefined) return cached
    const statement = prepareStatement(this.#db, sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}

const transactions = new WeakMap<Database, Transaction<(work: () => unknown) => unknown>>()

/** Caches one transaction function per database, because creating the function takes longer than running it. */
const transactionOf = (db: Database): Transaction<(work: () => unknown) => unknown> => {
  const cached = transactions.get(db)
  if (cached !== undefined) return cached
  const newTransaction = db.transaction((work: () => unknown) => work())
  transactions.set(db, newTransaction)
  return newTransaction
}

/**
 * Makes all writes of `work` or none. Joins an open transaction. Takes the write lock before any read. After a read,
 * SQLite refuses the lock if another process has written meanwhile (SQLITE_BUSY_SNAPSHOT).
 */
export const transaction = <T>(db: Database, work: () => T): T =>
  db.inTransaction ? work() : attemptWrite(db, () => transactionOf(db).immediate(work) as T)

/**
 * Rolls back only the writes of `work` if it throws, not the whole transaction. A savepoint costs as much as the write
 * inside it, so only the group commit uses one.
 */
export const savepoint = <T>(db: Database, work: () => T): T => {
  if (!db.inTransaction) throw new Error('a savepoint needs an open transaction')
  return transactionOf(db)(work) as T
}

/** All reads of `work` see the same state of the database. Takes no write lock. */
export const readTransaction = <T>(db: Database, work: () => T): T =>
  db.inTransaction ? work() : (transactionOf(db).deferred(work) as T)

export const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
