import type { Database } from 'better-sqlite3'
import { Statements, transaction } from './statements.ts'

/**
 * Hard case: A search in more than 100,000 recordings.
 * An index of trigrams (three characters in a row) narrows the candidates. If there are more than 1,000 matches, the
 * window shows only the newest. The index may lag behind, so Sluice also searches the rows that are not indexed yet.
 */

export type TextSearchLimits = {
  /**
   * If the journal has at most this many recordings, a search reads all of them without the index. This takes some tens
   * of milliseconds.
   */
  readonly maxFullScanRecordings: number
  /** In a larger journal, a search returns at most this many matches, newest first. */
  readonly maxMatches: number
  /** If more recordings than this are not in the index yet, a search reads all recordings without the index. */
  readonly maxUnindexed: number
  /** Indexing waits for this many new recordings, because each batch adds an index segment that must be merged. */
  readonly minBatch: number
  /** How many recordings are indexed at a time. This takes a few milliseconds, occasionally fifty. */
  readonly maxBatch: number
}

const LIMITS: TextSearchLimits = {
  maxFullScanRecordings: 100_000,
  maxMatches: 1_000,
  maxUnindexed: 5_000,
  minBatch: 1_000,
  maxBatch: 500,
}

/** How many recordings are read to find out which trigrams are common. */
const SAMPLES = 100
/** The index query uses only the rarest trigrams of the text. Each common trigram would add a long list to read. */
const RAREST_TRIGRAMS = 3

const SEARCHED_SQL = 'path || char(10) || site'

export type TextMatches = { readonly ids: readonly number[]; readonly isAll: boolean }

/** Escapes `%` and `_`, which are ordinary characters in file names. */
export const likeAnywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Works on code points, as the index does. */
const trigramsOf = (text: string): string[] => {
  const points = [...text]
  return [...new Set(points.slice(2).map((_, index) => points.slice(index, index + 3).join('')))]
}

/**
 * Indexed text search for a journal too large to scan at each keystroke. `find` returns null if the journal is small,
 * the index is too far behind, or the text contains a NUL character. Then the caller scans every recording.
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

  /** The ids of the newest matches. A complete session ID also finds its recording. */
  find(text: string): TextMatches | null {
    const { maxUnindexed, maxMatches } = this.#limits
    if (!this.#isLarge()) return null
    // SQLite would cut off the index query at a NUL character.
    if (text.includes('\0')) return null
    if ([...text].length < 3) return this.#toMatches(this.#newestWith(text))
    const lastIndexedId = this.#lastIndexedId()
    if (this.#lastId() - lastIndexedId > maxUnindexed) return null
    const pattern = likeAnywhere(text)
    const unindexed = this.#ids(
      `SELECT id FROM recordings WHERE id > ? AND ${SEARCHED_SQL} LIKE ? ESCAPE '\\' ORDER BY id DESC LIMIT ?`,
      lastIndexedId,
      pattern,
      maxMatches + 1,
    )
    const indexed = this.#ids(
      `SELECT recordings.id FROM recording_trigrams JOIN recordings ON recordings.id = recording_trigrams.rowid
       WHERE recording_trigrams MATCH ? AND ${SEARCHED_SQL} LIKE ? ESCAPE '\\'
       ORDER BY recording_trigrams.rowid DESC LIMIT ?`,
      this.#rarestQuery(trigramsOf(text)),
      pattern,
      maxMatches + 1 - unindexed.length,
    )
    const bySession = this.#ids('SELECT id FROM recordings WHERE session_id = ?', text)
    return this.#toMatches([...new Set([...bySession, ...unindexed, ...indexed])])
  }

  /** Indexes the next batch. Returns false if the journal is small or has too few new recordings. */
  addSome(): boolean {
    const { maxBatch, minBatch } = this.#limits
    if (!this.#isLarge()) return false
    const lastIndexedId = this.#lastIndexedId()
    if (this.#lastId() - lastIndexedId < minBatch) return false
    transaction(this.#db, () => {
      const upTo = Math.min(lastIndexedId + maxBatch, this.#lastId())
      this.#statements
        .of(
          `INSERT INTO recording_trigrams (rowid, text) SELECT id, ${SEARCHED_SQL} FROM recordings WHERE id > ? AND id <= ?`,
        )
        .run(lastIndexedId, upTo)
      this.#statements.of('UPDATE trigrams_reach SET id = ?').run(upTo)
    })
    return true
  }

  #toMatches(ids: readonly number[]): TextMatches {
    const { maxMatches } = this.#limits
    return { ids: ids.slice(0, maxMatches), isAll: ids.length <= maxMatches }
  }

  /**
   * A text of one or two characters has no trigram, so the index cannot find it. But many recordings contain the text,
   * so a scan from the newest on soon finds enough matches.
   */
  #newestWith(text: string): number[] {
    return this.#ids(
      `SELECT id FROM recordings INDEXED BY recordings_by_text WHERE ${SEARCHED_SQL} LIKE ? ESCAPE '\\'
       ORDER BY found_at DESC, id DESC LIMIT ?`,
      likeAnywhere(text),
      this.#limits.maxMatches + 1,
    )
  }

  /** An index query with the trigrams that are rarest in a sample of recordings. */
  #rarestQuery(trigrams: readonly string[]): string {
    const lastId = this.#lastId()
    const sampleIds = Array.from({ length: SAMPLES }, (_, n) => Math.ceil((lastId * (n + 1)) / SAMPLES))
    const texts = this.#statements
      .of(`SELECT ${SEARCHED_SQL} FROM recordings WHERE id IN (SELECT value FROM json_each(?))`)
      .pluck()
      .all(JSON.stringify(sampleIds)) as string[]
    const sampleTexts = texts.map((text) => text.toLowerCase())
    const frequencies = trigrams.map((trigram) => {
      const lowerCase = trigram.toLowerCase()
      return { trigram, frequency: sampleTexts.filter((text) => text.includes(lowerCase)).length }
    })
    return frequencies
      .toSorted((a, b) => a.frequency - b.frequency)
      .slice(0, RAREST_TRIGRAMS)
      .map(({ trigram }) => `"${trigram.replaceAll('"', '""')}"`)
      .join(' AND ')
  }

  /** The highest id equals the number of recordings, because rows are never deleted. */
  #isLarge(): boolean {
    return this.#lastId() > this.#limits.maxFullScanRecordings
  }

  #lastId(): number {
    return (this.#statements.of('SELECT MAX(id) FROM recordings').pluck().get() as number | null) ?? 0
  }

  #lastIndexedId(): number {
    return this.#statements.of('SELECT id FROM trigrams_reach').pluck().get() as number
  }

  #ids(sql: string, ...values: readonly unknown[]): number[] {
    return this.#statements
      .of(sql)
      .pluck()
      .all(...values) as number[]
  }
}
