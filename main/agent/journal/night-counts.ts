import type { Database } from 'better-sqlite3'
import { type Night, nightAt, QUARTER_MS } from '../../../shared/status/nights.ts'
import { Statements } from './statements.ts'

export type NightCount = { readonly night: Night; readonly count: number }

/** More changes than a window is ever behind by: reading all is then no dearer. */
const mostChanged = 1000

const quarterAtOrAfter = (ms: number): number => Math.ceil(ms / QUARTER_MS)

/** A PC that is taken to another one has other nights. */
const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * How many recordings were found in each night. Two years of nights have seventy thousand quarters of an hour, so they are
 * added up once; after that only nights in which something was found, or went, are read again. Which these are, this
 * connection tells by triggers of its own, and a write of another one has all of them read anew.
 */
class KeptNights {
  readonly #db: Database
  readonly #statements: Statements
  readonly #nights = new Map<number, NightCount>()
  readonly #changedAtMs = new Set<number>()
  #dataVersion: number | null = null
  #timeZone = timeZone()
  #isTold = false

  constructor(db: Database) {
    this.#db = db
    this.#statements = new Statements(db)
  }

  counts(): Iterable<NightCount> {
    if (!this.#isTold && !this.#db.inTransaction) this.#listen()
    const dataVersion = this.#db.pragma('data_version', { simple: true }) as number
    const isKept = this.#isTold && dataVersion === this.#dataVersion && timeZone() === this.#timeZone
    if (isKept) for (const atMs of this.#changedAtMs) this.#readNight(atMs)
    else this.#readAll()
    // What is not committed may never be: then it has to be read once more.
    if (!this.#db.inTransaction) {
      this.#changedAtMs.clear()
      this.#dataVersion = dataVersion
    } else if (!isKept) this.#dataVersion = null
    return this.#nights.values()
  }

  /** Not inside a transaction, whose end could take the triggers back. */
  #listen(): void {
    this.#db.function('sluice_night_changed', (foundAtMs) => {
      this.#changedAtMs.add(Math.floor(Number(foundAtMs) / QUARTER_MS) * QUARTER_MS)
      if (this.#changedAtMs.size <= mostChanged) return null
      this.#changedAtMs.clear()
      this.#dataVersion = null
      return null
    })
    this.#db.exec(`
      CREATE TEMP TRIGGER kept_nights_added AFTER INSERT ON main.recordings BEGIN
        SELECT sluice_night_changed(new.found_at);
      END;
      CREATE TEMP TRIGGER kept_nights_moved AFTER UPDATE OF found_at ON main.recordings BEGIN
        SELECT sluice_night_changed(old.found_at), sluice_night_changed(new.found_at);
      END;
      CREATE TEMP TRIGGER kept_nights_removed AFTER DELETE ON main.recordings BEGIN
        SELECT sluice_night_changed(old.found_at);
      END;
    `)
    this.#isTold = true
  }

  /** Added up night by night in the database: a row for each quarter would take longer to hand over than to add. */
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

const ofConnections = new WeakMap<Database, KeptNights>()

/** One for each connection: its triggers tell only one. */
export const keptNights = (db: Database): Iterable<NightCount> => {
  const kept = ofConnections.get(db) ?? new KeptNights(db)
  ofConnections.set(db, kept)
  return kept.counts()
}
