import type { Database } from 'better-sqlite3'
import { inTransaction, Statements } from './statements.ts'

export type TextSearchLimits = {
  /** Up to so many recordings every one is looked at, in some tens of milliseconds. */
  readonly fewRecordings: number
  /** Of more, the newest so many that match are told. */
  readonly mostFound: number
  /** So many that came after the index may be looked at one by one. */
  readonly mostBehind: number
  /** Fewer are not worth it: each time the index grows by a piece that has to be merged with the others. */
  readonly worthAdding: number
  /** Added at a time: some milliseconds, now and then fifty. */
  readonly addedAtOnce: number
}

const LIMITS: TextSearchLimits = {
  fewRecordings: 100_000,
  mostFound: 1_000,
  mostBehind: 5_000,
  worthAdding: 1_000,
  addedAtOnce: 500,
}

/** Recordings that tell which trigrams are common. */
const SAMPLES = 100
/** The rarest few leave little to be compared; the common ones among them are long lists, read for nothing. */
const RAREST = 3

const SEARCHED = 'path || char(10) || site'

export type Found = { readonly ids: readonly number[]; readonly isAll: boolean }

/** `%` and `_` are ordinary characters in file names. */
export const likeAnywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** By code points, as the index has them. */
const trigramsOf = (text: string): string[] => {
  const points = [...text]
  return [...new Set(points.slice(2).map((_, at) => points.slice(at, at + 3).join('')))]
}

/**
 * The search in a journal too large to be gone through at each key that is typed. Null wherever that is not so, or the
 * index is not that far: then every recording is looked at.
 */
export class TextSearch {
  readonly #db: Database
  readonly #statements: Statements
  readonly #limits: TextSearchLimits

  constructor(db: Database, limits: TextSearchLimits = LIMITS) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#limits = limits
  }

  /** The newest that match, by the order in which they came; a whole session id as well. */
  find(text: string): Found | null {
    const { mostBehind, mostFound } = this.#limits
    if (!this.#isLarge()) return null
    // A question to the index ends there.
    if (text.includes('\0')) return null
    if ([...text].length < 3) return this.#found(this.#newestWith(text))
    const reach = this.#reach()
    if (this.#last() - reach > mostBehind) return null
    const pattern = likeAnywhere(text)
    const behind = this.#ids(
      `SELECT id FROM recordings WHERE id > ? AND ${SEARCHED} LIKE ? ESCAPE '\\' ORDER BY id DESC LIMIT ?`,
      reach,
      pattern,
      mostFound + 1,
    )
    const indexed = this.#ids(
      `SELECT recordings.id FROM recording_trigrams JOIN recordings ON recordings.id = recording_trigrams.rowid
       WHERE recording_trigrams MATCH ? AND ${SEARCHED} LIKE ? ESCAPE '\\'
       ORDER BY recording_trigrams.rowid DESC LIMIT ?`,
      this.#narrowest(trigramsOf(text)),
      pattern,
      mostFound + 1 - behind.length,
    )
    const bySession = this.#ids('SELECT id FROM recordings WHERE session_id = ?', text)
    return this.#found([...new Set([...bySession, ...behind, ...indexed])])
  }

  /** Adds the next few; false when there is nothing worth it. */
  addSome(): boolean {
    const { addedAtOnce, worthAdding } = this.#limits
    if (!this.#isLarge()) return false
    const reach = this.#reach()
    if (this.#last() - reach < worthAdding) return false
    inTransaction(this.#db, () => {
      const upTo = Math.min(reach + addedAtOnce, this.#last())
      this.#statements
        .of(
          `INSERT INTO recording_trigrams (rowid, text) SELECT id, ${SEARCHED} FROM recordings WHERE id > ? AND id <= ?`,
        )
        .run(reach, upTo)
      this.#statements.of('UPDATE trigrams_reach SET id = ?').run(upTo)
    })
    return true
  }

  #found(ids: readonly number[]): Found {
    const { mostFound } = this.#limits
    return { ids: ids.slice(0, mostFound), isAll: ids.length <= mostFound }
  }

  /** One or two letters are in no trigram, and almost everywhere: the newest are looked at until there are enough. */
  #newestWith(text: string): number[] {
    return this.#ids(
      `SELECT id FROM recordings INDEXED BY recordings_by_text WHERE ${SEARCHED} LIKE ? ESCAPE '\\'
       ORDER BY found_at DESC, id DESC LIMIT ?`,
      likeAnywhere(text),
      this.#limits.mostFound + 1,
    )
  }

  /** As a question to the index: those that fewest of some recordings from everywhere have. */
  #narrowest(trigrams: readonly string[]): string {
    const last = this.#last()
    const some = Array.from({ length: SAMPLES }, (_, n) => Math.ceil((last * (n + 1)) / SAMPLES))
    const texts = this.#statements
      .of(`SELECT ${SEARCHED} FROM recordings WHERE id IN (SELECT value FROM json_each(?))`)
      .pluck()
      .all(JSON.stringify(some)) as string[]
    const known = texts.map((text) => text.toLowerCase())
    const counted = trigrams.map((trigram) => {
      const wanted = trigram.toLowerCase()
      return { trigram, in: known.filter((text) => text.includes(wanted)).length }
    })
    return counted
      .toSorted((a, b) => a.in - b.in)
      .slice(0, RAREST)
      .map(({ trigram }) => `"${trigram.replaceAll('"', '""')}"`)
      .join(' AND ')
  }

  /** By the highest number: none is ever taken away. */
  #isLarge(): boolean {
    return this.#last() > this.#limits.fewRecordings
  }

  #last(): number {
    return (this.#statements.of('SELECT MAX(id) FROM recordings').pluck().get() as number | null) ?? 0
  }

  #reach(): number {
    return this.#statements.of('SELECT id FROM trigrams_reach').pluck().get() as number
  }

  #ids(sql: string, ...values: readonly unknown[]): number[] {
    return this.#statements
      .of(sql)
      .pluck()
      .all(...values) as number[]
  }
}
