/** The values of the named parameters. JSON is passed as text. */
export type Params = Readonly<Record<string, string | number | null>>

export type Query = {
  readonly sql: string
  readonly params: Params
  /** True: no other transaction can change the rows until this transaction ends. */
  readonly locksRows: boolean
  /** False: the next step needs no result of this step. */
  readonly needsResult: boolean
}

export type QueryResult = { readonly rows: readonly unknown[]; readonly changes: number }

/**
 * Database work for both engines, in SQL that both understand. Each `yield*` of a query is one step. SQLite runs all
 * steps without a break. With PostgreSQL, the server awaits each step, except `send` in a transaction.
 */
export type Steps<T> = Generator<Query, T, QueryResult>

export function* all<Row>(sql: string, params: Params = {}): Steps<Row[]> {
  return (yield { sql, params, locksRows: false, needsResult: true }).rows as Row[]
}

export function* first<Row>(sql: string, params: Params = {}): Steps<Row | undefined> {
  return (yield { sql, params, locksRows: false, needsResult: true }).rows[0] as Row | undefined
}

/** Locks the row, so that no other transaction changes it before this transaction ends. */
export function* firstLocked<Row>(sql: string, params: Params): Steps<Row | undefined> {
  return (yield { sql, params, locksRows: true, needsResult: true }).rows[0] as Row | undefined
}

/** Returns how many rows changed. */
export function* change(sql: string, params: Params = {}): Steps<number> {
  return (yield { sql, params, locksRows: false, needsResult: true }).changes
}

/**
 * Like `change`, but does not report how many rows changed. In a PostgreSQL transaction, the next step does not wait
 * for the answer, so a failure may appear only at the end.
 */
export function* send(sql: string, params: Params = {}): Steps<void> {
  yield { sql, params, locksRows: false, needsResult: false }
}
