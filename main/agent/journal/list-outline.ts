import type { Database } from 'better-sqlite3'
import type { CheckedArgs } from '../../../shared/ipc.ts'
import { type Night, nightAt } from '../../../shared/nights.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import { type RecordingOutline, type Standing, standings } from '../../../shared/status.ts'
import { standingOf, type Viewpoint } from '../domain/standing.ts'
import { type StandpointRow, standpointOf, sumBy } from './figures.ts'
import { allOf, type Condition, narrowed, needsSomeone } from './list-conditions.ts'

type Query = CheckedArgs<'listRecordings'>

const pluck = (db: Database, sql: string, values: readonly unknown[]) =>
  db
    .prepare(sql)
    .pluck()
    .all(...values) as number[]

/** Whether the tallies, which the database itself keeps, know how many there are: counting a million rows takes long. */
export const isTallied = (query: Query): boolean =>
  query.text === '' && query.from === undefined && query.to === undefined && query.queuedFrom === undefined

/** Whatever is asked for besides the standing: what a chip would show. */
export const standingsOf = (
  db: Database,
  query: Query,
  view: Viewpoint,
  paths: Paths,
): Record<Standing, number> => {
  const conditions = narrowed({ ...query, standings: [] }, view, paths)
  const { sql, values } = allOf(conditions)
  const groups = db
    .prepare(
      isTallied(query)
        ? `SELECT state, ends_by, service, paused, SUM(recordings) AS n FROM tallies ${sql} GROUP BY 1, 2, 3, 4`
        : `SELECT state, ends_by, service, paused, COUNT(*) AS n FROM recordings ${sql} GROUP BY 1, 2, 3, 4`,
    )
    .all(...values) as (StandpointRow & { readonly n: number })[]
  return sumBy(
    standings,
    groups,
    (group) => standingOf(standpointOf(group), view),
    ({ n }) => n,
  )
}

class Counts {
  readonly #nights = new Map<number, { readonly night: Night; count: number }>()
  #last: { readonly night: Night; count: number } | null = null

  add(atMs: number, count: number): void {
    this.#of(atMs).count += count
  }

  /** Neighbours in the list are mostly of one night. */
  #of(atMs: number): { count: number } {
    const last = this.#last
    if (last !== null && atMs >= last.night.startMs && atMs < last.night.endMs) return last
    const night = nightAt(atMs)
    const known = this.#nights.get(night.startMs) ?? { night, count: 0 }
    this.#nights.set(night.startMs, known)
    this.#last = known
    return known
  }

  inOrder(descending: boolean): RecordingOutline['nights'] {
    const sign = descending ? -1 : 1
    return [...this.#nights.values()]
      .filter(({ count }) => count > 0)
      .sort((a, b) => sign * (a.night.startMs - b.night.startMs))
      .map(({ night, count }) => ({ day: night.name, count }))
  }
}

/** From night to night: each is counted in the index, and what lies between two is never looked at. */
const addEveryNight = (db: Database, counts: Counts): void => {
  const newest = db.prepare('SELECT MAX(found_at) FROM recordings WHERE found_at < ?').pluck()
  const between = db.prepare('SELECT COUNT(*) FROM recordings WHERE found_at >= ? AND found_at < ?').pluck()
  let beforeMs = Number.MAX_SAFE_INTEGER
  for (;;) {
    const atMs = newest.get(beforeMs) as number | null
    if (atMs === null) return
    const night = nightAt(atMs)
    counts.add(atMs, between.get(night.startMs, night.endMs) as number)
    beforeMs = night.startMs
  }
}

export const outlineOf = (db: Database, query: Query, view: Viewpoint, paths: Paths): RecordingOutline => {
  const conditions = narrowed(query, view, paths)
  const foundAt = (more: readonly Condition[]) => {
    const { sql, values } = allOf([...conditions, ...more])
    return pluck(db, `SELECT found_at FROM recordings ${sql}`, values)
  }
  const pinned = query.pinned ? foundAt([needsSomeone(view).those]) : []
  const counts = new Counts()
  if (query.sort === 'found') {
    if (conditions.length === 0) addEveryNight(db, counts)
    else for (const atMs of foundAt([])) counts.add(atMs, 1)
    for (const atMs of pinned) counts.add(atMs, -1)
  }
  return {
    standings: standingsOf(db, query, view, paths),
    pinned: pinned.length,
    nights: counts.inOrder(query.descending),
  }
}
