import type { Database } from 'better-sqlite3'
import { Statements } from './statements.ts'

/** Values of the whole station by key, stored as JSON in the table `station`. */
export class StationValues {
  readonly #statements: Statements
  readonly #changed: () => void

  constructor(db: Database, changed: () => void) {
    this.#statements = new Statements(db)
    this.#changed = changed
  }

  read<T>(key: string): T | null {
    const row = this.#statements.of('SELECT value FROM station WHERE key = ?').get(key) as
      | { value: string }
      | undefined
    return row === undefined ? null : (JSON.parse(row.value) as T)
  }

  /** Null deletes the value. Wakes the stages. */
  set(key: string, value: unknown): void {
    this.write(key, value)
    this.#changed()
  }

  /** Like `set`, but wakes no stage. */
  write(key: string, value: unknown): void {
    if (value === null) this.#statements.of('DELETE FROM station WHERE key = ?').run(key)
    else
      this.#statements
        .of(
          'INSERT INTO station (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        )
        .run(key, JSON.stringify(value))
  }
}
