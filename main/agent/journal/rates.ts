import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Sent, SentHour } from '../domain/sending-rate.ts'
import type { RecordedHour } from '../domain/usual-recording.ts'
import { Statements } from './statements.ts'

const HOUR_MS = 3_600_000
const KEEP_HOURS = 28 * 24

/** Bytes sent and recorded per hour for four weeks, the basis of the forecasts. */
export class Rates {
  readonly #statements: Statements
  readonly #now: () => number
  readonly #paths: Paths

  constructor(db: Database, now: () => number, paths: Paths) {
    this.#statements = new Statements(db)
    this.#now = now
    this.#paths = paths
  }

  /** Adds to the current hour. The first entry of an hour deletes old hours. */
  addSent({ bytes, seconds, limitBytesPerSecond }: Sent): void {
    const hour = Math.floor(this.#now() / HOUR_MS)
    const { changes } = this.#statements
      .of(
        `UPDATE sent_hours SET bytes = bytes + @bytes, seconds = seconds + @seconds,
           rate_limit = CASE WHEN @limit IS NULL THEN rate_limit ELSE MIN(COALESCE(rate_limit, @limit), @limit) END
         WHERE hour = @hour`,
      )
      .run({ hour, bytes, seconds, limit: limitBytesPerSecond })
    if (changes > 0) return
    this.#statements
      .of('INSERT INTO sent_hours (hour, bytes, seconds, rate_limit) VALUES (?, ?, ?, ?)')
      .run(hour, bytes, seconds, limitBytesPerSecond)
    // Also delete hours in the future, which were written while the clock was ahead: they would count as the newest
    // for weeks.
    this.#statements.of('DELETE FROM sent_hours WHERE hour <= ? OR hour > ?').run(hour - KEEP_HOURS, hour)
    this.#statements.of('DELETE FROM recorded_hours WHERE hour <= ?').run(hour - KEEP_HOURS)
  }

  /** The bytes sent in each hour, oldest first. */
  sentHours(): readonly SentHour[] {
    return this.#statements
      .of(
        `SELECT hour * ${HOUR_MS} AS atMs, bytes, seconds, rate_limit AS limitBytesPerSecond
         FROM sent_hours WHERE hour <= ? ORDER BY hour`,
      )
      .all(Math.floor(this.#now() / HOUR_MS)) as SentHour[]
  }

  /** The bytes recorded in each hour, as a sum over these folders, oldest first. */
  recordedHours(folders: readonly string[]): readonly RecordedHour[] {
    const keys = JSON.stringify(folders.map((folder) => this.#paths.key(folder)))
    return this.#statements
      .of(
        `SELECT hour * ${HOUR_MS} AS atMs, SUM(bytes) AS bytes FROM recorded_hours
         WHERE folder_key IN (SELECT value FROM json_each(?)) AND hour > ? GROUP BY hour ORDER BY hour`,
      )
      .all(keys, Math.floor(this.#now() / HOUR_MS) - KEEP_HOURS) as RecordedHour[]
  }

  /**
   * The time of the first scan of any of these folders. From then on, an hour without files means that nothing was
   * recorded.
   */
  watchedSinceMs(folders: readonly string[]): number | null {
    const keys = JSON.stringify(folders.map((folder) => this.#paths.key(folder)))
    const row = this.#statements
      .of('SELECT MIN(first_seen_at) AS at FROM folders WHERE key IN (SELECT value FROM json_each(?))')
      .get(keys) as { at: number | null }
    return row.at
  }
}
