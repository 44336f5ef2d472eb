import type { Database } from 'better-sqlite3'
import { type Night, nightAt, quarterOf } from '../../../shared/nights.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import { type NightFigures, type Standing, standings } from '../../../shared/status.ts'
import type { FolderHistory } from '../domain/recording-habit.ts'
import { standingOf, type Viewpoint } from '../domain/standing.ts'
import { type StandpointRow, standpointOf } from './figures.ts'
import { Statements } from './statements.ts'

/** Twice what the alarm looks back. */
const KEEP_NIGHTS = 200
const DAY_MS = 86_400_000

type Group = StandpointRow & { readonly folder_key: string; readonly n: number; readonly bytes: number }

type SilentNight = { readonly night: string; readonly word: 'told' | 'dismissed' }

/** What is known of each night: what was found, when it was watched, and when a folder was silent. */
export class NightStore {
  readonly #statements: Statements
  readonly #changed: () => void
  readonly #paths: Paths

  constructor(db: Database, changed: () => void, paths: Paths) {
    this.#statements = new Statements(db)
    this.#changed = changed
    this.#paths = paths
  }

  noteWatched(folder: string, atMs: number): void {
    const quarter = quarterOf(atMs)
    this.#statements
      .of('INSERT OR IGNORE INTO watched_quarters (quarter, folder_key) VALUES (?, ?)')
      .run(quarter, this.#paths.key(folder))
    const oldest = atMs - KEEP_NIGHTS * DAY_MS
    this.#statements.of('DELETE FROM watched_quarters WHERE quarter < ?').run(quarterOf(oldest))
    this.#statements.of('DELETE FROM silent_nights WHERE night < ?').run(nightAt(oldest).name)
  }

  noteSilence(folder: string, night: string): void {
    this.#statements
      .of('INSERT OR IGNORE INTO silent_nights (night, folder_key, dismissed) VALUES (?, ?, 0)')
      .run(night, this.#paths.key(folder))
  }

  /** Somebody's word that nothing is to come in this night. */
  dismissSilence(folder: string, night: string): void {
    this.#statements
      .of(
        `INSERT INTO silent_nights (night, folder_key, dismissed) VALUES (?, ?, 1)
         ON CONFLICT DO UPDATE SET dismissed = 1`,
      )
      .run(night, this.#paths.key(folder))
    this.#changed()
  }

  silentNights(folder: string): readonly SilentNight[] {
    const rows = this.#statements
      .of('SELECT night, dismissed FROM silent_nights WHERE folder_key = ? ORDER BY night')
      .all(this.#paths.key(folder)) as { night: string; dismissed: number }[]
    return rows.map(({ night, dismissed }) => ({ night, word: dismissed === 0 ? 'told' : 'dismissed' }))
  }

  /** By quarters of an hour; read again only when one has passed or something was found. */
  history(folder: string, sinceMs: number): FolderHistory {
    const key = this.#paths.key(folder)
    const since = quarterOf(sinceMs)
    const found = this.#statements
      .of(
        `SELECT quarter, SUM(recordings) AS n FROM night_tallies
         WHERE quarter >= ? AND folder_key = ? GROUP BY quarter`,
      )
      .all(since, key) as { quarter: number; n: number }[]
    const watched = this.#statements
      .of('SELECT quarter FROM watched_quarters WHERE quarter >= ? AND folder_key = ?')
      .pluck()
      .all(since, key) as number[]
    return { found: new Map(found.map(({ quarter, n }) => [quarter, n])), watched: new Set(watched) }
  }

  /** Of the whole station, or of one folder. The parts of a night sum to what was recorded in it. */
  figures(nights: readonly Night[], view: Viewpoint, folder: string | null): readonly NightFigures[] {
    const key = folder === null ? null : this.#paths.key(folder)
    const groups = this.#statements.of(
      `SELECT state, ends_by, service, paused, SUM(recordings) AS n, SUM(bytes) AS bytes FROM night_tallies
       WHERE quarter >= @from AND quarter < @to AND (@key IS NULL OR folder_key = @key)
       GROUP BY state, ends_by, service, paused HAVING n > 0`,
    )
    const watched = this.#statements
      .of(
        `SELECT COUNT(DISTINCT quarter) FROM watched_quarters
         WHERE quarter >= @from AND quarter < @to AND (@key IS NULL OR folder_key = @key)`,
      )
      .pluck()
    const silent = this.#statements
      .of(
        `SELECT COUNT(*) FROM silent_nights WHERE night = @name AND dismissed = 0 AND (@key IS NULL OR folder_key = @key)`,
      )
      .pluck()
    return nights.map((night): NightFigures => {
      const range = { from: quarterOf(night.startMs), to: quarterOf(night.endMs), key }
      const counts = Object.fromEntries(standings.map((one) => [one, 0])) as Record<Standing, number>
      let recorded = 0
      let bytes = 0
      for (const group of groups.all(range) as Group[]) {
        counts[standingOf(standpointOf(group), view)] += group.n
        recorded += group.n
        bytes += group.bytes
      }
      return {
        name: night.name,
        since: new Date(night.startMs).toISOString(),
        until: new Date(night.endMs).toISOString(),
        recorded,
        bytes,
        standings: counts,
        watchedHours: (watched.get(range) as number) / 4,
        silentFolders: silent.get({ name: night.name, key }) as number,
      }
    })
  }
}
