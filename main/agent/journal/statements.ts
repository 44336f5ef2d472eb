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

export const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
