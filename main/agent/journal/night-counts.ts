import type { Database } from 'better-sqlite3'
import { type Night, nightAt, QUARTER_MS } from '../../../shared/status/nights.ts'
import { Statements } from './statements.ts'

export type NightCount = { readonly night: Night; readonly count: number }

/** If more quarters of an hour than this have changed, reading all nights is as fast as reading the changed ones. */
const MAX_CHANGED_QUARTERS = 1000

const quarterAtOrAfter = (ms: number): number => Math.ceil(ms / QUARTER_MS)

/** Nights depend on the time zone, which may change when a user takes the PC elsewhere. */
const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * Counts the recordings of each night. The journal has a count for each quarter of an hour. Two years have seventy
 * thousand of these, so this class caches the sum of each night. Temporary triggers of this connection report which
 * nights changed, and only those nights are read again. A write by a different connection invalidates the whole cache.
 */
class NightCounts {
  readonly #db: Database
  readonly #statements: Statements
  readonly #nights = new Map<number, NightCount>()
  readonly #changedAtMs = new Set<number>()
  #dataVersion: number | null = null
  #timeZone = timeZone()
  #hasTriggers = false

  constructor(db: Database) {
    this.#db = db
    this.#statements = new Statements(db)
  }

  counts(): Iterable<NightCount> {
    if (!this.#hasTriggers && !this.#db.inTransaction) this.#createTriggers()
    const dataVersion = this.#db.pragma('data_version', { simple: true }) as number
    const isCached = this.#hasTriggers && dataVersion === this.#dataVersion && timeZone() === this.#timeZone
    if (isCached) for (const atMs of this.#changedAtMs) this.#readNight(atMs)
    else this.#readAll()
    // An open transaction may be rolled back. Then the changed nights must be read once more.
    if (!this.#db.inTransaction) {
      this.#changedAtMs.clear()
      this.#dataVersion = dataVersion
    } else if (!isCached) this.#dataVersion = null
    return this.#nights.values()
  }

  /** Must not run inside a transaction: a rollback would remove the triggers. */
  #createTriggers(): void {
    this.#db.function('sluice_night_changed', (foundAtMs) => {
      this.#changedAtMs.add(Math.floor(Number(foundAtMs) / QUARTER_MS) * QUARTER_MS)
      if (this.#changedAtMs.size <= MAX_CHANGED_QUARTERS) return null
      this.#changedAtMs.clear()
      this.#dataVersion = null
      return null
    })
    this.#db.exec(`
      CREATE TEMP TRIGGER night_counts_added AFTER INSERT ON main.recordings BEGIN
        SELECT sluice_night_changed(new.found_at);
      END;
      CREATE TEMP TRIGGER night_counts_moved AFTER UPDATE OF found_at ON main.recordings BEGIN
        SELECT sluice_night_changed(old.found_at), sluice_night_changed(new.found_at);
      END;
      CREATE TEMP TRIGGER night_counts_removed AFTER DELETE ON main.recordings BEGIN
        SELECT sluice_night_changed(old.found_at);
      END;
    `)
    this.#hasTriggers = true
  }

  /** SQLite computes the sum of each night, because transferring one row per quarter would take longer. */
  #readAll(): void {
    this.#nights.clear()
    this.#timeZone = timeZone()
    const first = this.#statements
      .of('SELECT MIN(quarter) FROM night_tallies WHERE quarter >= ? AND recordings > 0')
      .pluck()
    let from = Number.MIN_SAFE_INTEGER
    for (;;) {
      const quarter = first.get(from) as number | null
      if (quarter === null) return
      from = quarterAtOrAfter(this.#readNight(quarter * QUARTER_MS).endMs)
    }
  }

  #readNight(atMs: number): Night {
    const night = nightAt(atMs)
    const count = this.#statements
      .of('SELECT COALESCE(SUM(recordings), 0) FROM night_tallies WHERE quarter >= ? AND quarter < ?')
      .pluck()
      .get(quarterAtOrAfter(night.startMs), quarterAtOrAfter(night.endMs)) as number
    this.#nights.set(night.startMs, { night, count })
    return night
  }
}

const caches = new WeakMap<Database, NightCounts>()

/** One cache per connection, because temporary triggers see only their own connection. */
export const nightCounts = (db: Database): Iterable<NightCount> => {
  const counts = caches.get(db) ?? new NightCounts(db)
  caches.set(db, counts)
  return counts.counts()
}
