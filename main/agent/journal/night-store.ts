import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { NightFigures, Nights } from '../../../shared/status/night-figures.ts'
import { type Night, nightAt, quarterOf } from '../../../shared/status/nights.ts'
import { standings } from '../../../shared/status/standing.ts'
import type { FolderHistory } from '../domain/recording-habit.ts'
import { type StandingContext, standingOf } from '../domain/standing.ts'
import { type StandingFactsRow, standingFactsOf, sumBy } from './figures.ts'
import type { SqlCondition } from './list-conditions.ts'
import { foundBetween, inFolders, withQueuedUploads } from './queued-uploads.ts'
import { Statements } from './statements.ts'

/** More nights than `outlook/silence-watch.ts` reads. */
const KEEP_NIGHTS = 200
const DAY_MS = 86_400_000
/** How many nights the window shows per folder. */
const NIGHTS_PER_FOLDER = 7

type Group = StandingFactsRow & { readonly folder_key: string; readonly n: number; readonly bytes: number }

const nightFigures = (
  night: Night,
  groups: readonly Group[],
  counts: NightFigures['standings'],
  watched: boolean,
  silentFolders: number,
): NightFigures => ({
  name: night.name,
  since: new Date(night.startMs).toISOString(),
  until: new Date(night.endMs).toISOString(),
  recorded: groups.reduce((sum, { n }) => sum + n, 0),
  bytes: groups.reduce((sum, { bytes }) => sum + bytes, 0),
  standings: counts,
  watched,
  silentFolders,
})

type SilentNight = { readonly night: string; readonly silenceMark: 'reported' | 'dismissed' }

/** Facts about each night: the recordings found, the times when Sluice watched folders, and the silent folders. */
export class NightStore {
  readonly #db: Database
  readonly #statements: Statements
  readonly #changed: () => void
  readonly #paths: Paths

  constructor(db: Database, changed: () => void, paths: Paths) {
    this.#db = db
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
    return rows.map(({ night, dismissed }) => ({
      night,
      silenceMark: dismissed === 0 ? 'reported' : 'dismissed',
    }))
  }

  /** The recordings found in each quarter of an hour, and the quarters in which the folder was watched. */
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

  /** Figures of the station and of each folder. The counts by standing add up to the recordings of the night. */
  figures(nights: readonly Night[], context: StandingContext, folders: readonly string[]): Nights {
    const groups = this.#statements.of(
      `SELECT folder_key, state, ends_by, service, paused, SUM(recordings) AS n, SUM(bytes) AS bytes
       FROM night_tallies WHERE quarter >= @from AND quarter < @to
       GROUP BY folder_key, state, ends_by, service, paused HAVING n > 0`,
    )
    const isAnyWatched = this.#statements
      .of('SELECT EXISTS (SELECT 1 FROM watched_quarters WHERE quarter >= @from AND quarter < @to)')
      .pluck()
    const isFolderWatched = this.#statements
      .of(
        `SELECT EXISTS (SELECT 1 FROM watched_quarters WHERE folder_key = @key AND quarter >= @from AND quarter < @to)`,
      )
      .pluck()
    const silentFolderKeys = this.#statements
      .of('SELECT folder_key FROM silent_nights WHERE night = ? AND dismissed = 0')
      .pluck()
    const countsOf = (night: Night, found: readonly Group[], conditions: readonly SqlCondition[]) =>
      withQueuedUploads(
        sumBy(
          standings,
          found,
          (group) => standingOf(standingFactsOf(group), context),
          ({ n }) => n,
        ),
        this.#db,
        context,
        [foundBetween(night.startMs, night.endMs), ...conditions],
      )
    const figuresByNight = nights.map((night) => {
      const range = { from: quarterOf(night.startMs), to: quarterOf(night.endMs) }
      const foundGroups = groups.all(range) as Group[]
      const silentKeys = silentFolderKeys.all(night.name) as string[]
      return {
        station: nightFigures(
          night,
          foundGroups,
          countsOf(night, foundGroups, []),
          isAnyWatched.get(range) === 1,
          silentKeys.length,
        ),
        ofFolder: (path: string) => {
          const key = this.#paths.key(path)
          const ofFolder = foundGroups.filter(({ folder_key }) => folder_key === key)
          return nightFigures(
            night,
            ofFolder,
            countsOf(night, ofFolder, [inFolders([key])]),
            isFolderWatched.get({ ...range, key }) === 1,
            silentKeys.filter((one) => one === key).length,
          )
        },
      }
    })
    return {
      station: figuresByNight.map(({ station }) => station),
      folders: folders.map((path) => ({
        path,
        nights: figuresByNight.slice(-NIGHTS_PER_FOLDER).map(({ ofFolder }) => ofFolder(path)),
      })),
    }
  }
}
