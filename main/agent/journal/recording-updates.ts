import type { Database, Statement } from 'better-sqlite3'
import type { RecordingState } from '../../../shared/status/status.ts'
import { prepareStatement } from './statements.ts'

export type Columns = Readonly<Record<string, string | number | null>>

/** Updates the given columns of one recording, and its `changed_at`. */
export class RecordingUpdates {
  readonly #db: Database
  readonly #now: () => number
  readonly #updates = new Map<string, Statement>()

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#now = now
  }

  /** The state after the update; null if the recording does not exist. */
  set(id: number, columns: Columns): RecordingState | null {
    const row = this.#updateReturning('state', id, columns) as { readonly state: RecordingState } | undefined
    return row?.state ?? null
  }

  /** The whole row after the update; undefined if the recording is not in state `from`. */
  setInState(id: number, from: RecordingState, columns: Columns): unknown {
    return this.#updateReturning('*', id, columns, from)
  }

  #updateReturning(
    returnedColumns: 'state' | '*',
    id: number,
    columns: Columns,
    expectedState?: RecordingState,
  ): unknown {
    const names = Object.keys(columns)
    const values = Object.values(columns)
    values.push(this.#now(), id)
    if (expectedState !== undefined) values.push(expectedState)
    return this.#updateOf(names, returnedColumns, expectedState !== undefined).get(...values)
  }

  /** Only a few sets of columns occur, so prepared statements are cached by column names. */
  #updateOf(names: readonly string[], returnedColumns: 'state' | '*', checksState: boolean): Statement {
    const key = `${returnedColumns} ${checksState} ${names}`
    const cached = this.#updates.get(key)
    if (cached !== undefined) return cached
    const statement = prepareStatement(
      this.#db,
      `UPDATE recordings SET ${[...names, 'changed_at'].map((name) => `${name} = ?`).join(', ')}
       WHERE id = ?${checksState ? ' AND state = ?' : ''} RETURNING ${returnedColumns}`,
    )
    this.#updates.set(key, statement)
    return statement
  }
}
