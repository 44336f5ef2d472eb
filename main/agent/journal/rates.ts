import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Throughput } from '../../../shared/status/status.ts'
import type { Sent, SentHour } from '../domain/sending-rate.ts'
import type { RecordedHour } from '../domain/usual-recording.ts'
import { Statements } from './statements.ts'

const HOUR_MS = 3_600_000
const KEEP_HOURS = 28 * 24

/** The curve that the window shows: bytes sent, in buckets of ten seconds, kept for a little more than a day. */
const BUCKET_MS = 10_000
const KEEP_BUCKETS = (25 * HOUR_MS) / BUCKET_MS
const curves = {
  '10m': { spanMs: 600_000, bucketMs: BUCKET_MS },
  '24h': { spanMs: 24 * HOUR_MS, bucketMs: 600_000 },
} as const

/**
 * Bytes sent and recorded per hour, kept for four weeks as the basis of the forecasts. Also keeps the curve of the last
 * day.
 */
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

  /** The bytes of the recordings that Sluice found in each hour, as a sum over these folders, oldest first. */
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
   * The earliest time at which Sluice saw one of these folders. From then on, an hour without files means that nothing
   * was recorded.
   */
  watchedSinceMs(folders: readonly string[]): number | null {
    const keys = JSON.stringify(folders.map((folder) => this.#paths.key(folder)))
    const row = this.#statements
      .of('SELECT MIN(first_seen_at) AS at FROM folders WHERE key IN (SELECT value FROM json_each(?))')
      .get(keys) as { at: number | null }
    return row.at
  }

  /** Adds to the curve of the last day. */
  countBytes(bytes: number): void {
    const bucket = Math.floor(this.#now() / BUCKET_MS)
    this.#statements
      .of(
        'INSERT INTO throughput (bucket, bytes) VALUES (?, ?) ON CONFLICT (bucket) DO UPDATE SET bytes = bytes + excluded.bytes',
      )
      .run(bucket, bytes)
    this.#statements.of('DELETE FROM throughput WHERE bucket < ?').run(bucket - KEEP_BUCKETS)
  }

  throughput(span: keyof typeof curves): Throughput {
    const { spanMs, bucketMs } = curves[span]
    const width = bucketMs / BUCKET_MS
    const lastSlot = Math.floor(this.#now() / bucketMs)
    const firstSlot = lastSlot - spanMs / bucketMs + 1
    // better-sqlite3 binds numbers as REAL. Without the cast, the division would keep fractions, and every bucket
    // would get its own slot.
    const rows = this.#statements
      .of(
        'SELECT CAST(bucket / @width AS INTEGER) AS slot, SUM(bytes) AS bytes FROM throughput WHERE bucket >= @from GROUP BY slot',
      )
      .all({ width, from: firstSlot * width }) as { slot: number; bytes: number }[]
    const bytes = new Array<number>(lastSlot - firstSlot + 1).fill(0)
    for (const row of rows) if (row.slot <= lastSlot) bytes[row.slot - firstSlot] = row.bytes
    return {
      bucketSeconds: bucketMs / 1000,
      endsAt: new Date((lastSlot + 1) * bucketMs).toISOString(),
      bytes,
    }
  }
}
