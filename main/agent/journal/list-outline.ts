import type { Database } from 'better-sqlite3'
import type { CheckedArgs } from '../../../shared/ipc/ipc.ts'
import { type Night, nightAt } from '../../../shared/status/nights.ts'
import { type Standing, standings } from '../../../shared/status/standing.ts'
import type { RecordingOutline } from '../../../shared/status/status.ts'
import { type StandingContext, standingOf } from '../domain/standing.ts'
import { type StandingFactsRow, standingFactsOf, sumBy } from './figures.ts'
import { allOf, type RowSelection, type SqlCondition, splitByAttention } from './list-conditions.ts'
import { type NightCount, nightCounts } from './night-counts.ts'
import { withQueuedUploads } from './queued-uploads.ts'

type Query = CheckedArgs<'listRecordings'>

const pluck = (db: Database, sql: string, values: readonly unknown[]) =>
  db
    .prepare(sql)
    .pluck()
    .all(...values) as number[]

/** Whether the tallies are enough to count the matches. They hold no texts, times or positions in the queue. */
export const canUseTallies = (query: Omit<Query, 'takes'>): boolean =>
  query.text === '' && query.from === undefined && query.to === undefined && query.queuedFrom === undefined

/**
 * Counts the recordings per standing. `conditions` are all filters of the query except the filter by standing, so that
 * the filter chips also count the standings that the list does not show.
 */
export const standingsOf = (
  db: Database,
  query: Query,
  context: StandingContext,
  conditions: readonly SqlCondition[],
): Record<Standing, number> => {
  const { sql, values } = allOf(conditions)
  const groups = db
    .prepare(
      canUseTallies(query)
        ? `SELECT state, ends_by, service, paused, SUM(recordings) AS n FROM tallies ${sql} GROUP BY 1, 2, 3, 4`
        : `SELECT state, ends_by, service, paused, COUNT(*) AS n FROM recordings ${sql} GROUP BY 1, 2, 3, 4`,
    )
    .all(...values) as (StandingFactsRow & { readonly n: number })[]
  const counts = sumBy(
    standings,
    groups,
    (group) => standingOf(standingFactsOf(group), context),
    ({ n }) => n,
  )
  return withQueuedUploads(counts, db, context, conditions)
}

type Count = { readonly night: Night; count: number; pinned: number }

class Counts {
  readonly #nights = new Map<number, Count>()
  #last: Count | null = null

  add(atMs: number, count: number): void {
    this.#of(atMs).count += count
  }

  addNights(nights: Iterable<NightCount>): void {
    for (const { night, count } of nights) this.#nights.set(night.startMs, { night, count, pinned: 0 })
  }

  /** Moves one counted recording to the pinned rows. */
  pin(atMs: number): void {
    const night = this.#of(atMs)
    night.count -= 1
    night.pinned += 1
  }

  /**
   * The counts of the night that contains this time. Caches the night of the last call, because consecutive rows are
   * usually of the same night.
   */
  #of(atMs: number): Count {
    const last = this.#last
    if (last !== null && atMs >= last.night.startMs && atMs < last.night.endMs) return last
    const night = nightAt(atMs)
    const counts = this.#nights.get(night.startMs) ?? { night, count: 0, pinned: 0 }
    this.#nights.set(night.startMs, counts)
    this.#last = counts
    return counts
  }

  inOrder(descending: boolean): RecordingOutline['nights'] {
    const sign = descending ? -1 : 1
    return [...this.#nights.values()]
      .filter(({ count }) => count > 0)
      .sort((a, b) => sign * (a.night.startMs - b.night.startMs))
      .map(({ night, count, pinned }) => ({ day: night.name, count, pinned }))
  }
}

export const outlineOf = (
  db: Database,
  query: Query,
  context: StandingContext,
  selectionOf: (query: Query) => RowSelection,
): RecordingOutline => {
  const { conditions } = selectionOf(query)
  // The filter chips count files, not takes.
  const anyStanding = selectionOf({ ...query, standings: [], takes: false })
  const findTimesMs = (moreConditions: readonly SqlCondition[]) => {
    const { sql, values } = allOf([...conditions, ...moreConditions])
    return pluck(db, `SELECT found_at FROM recordings ${sql}`, values)
  }
  const pinnedTimesMs = query.pinned ? findTimesMs([splitByAttention(context, query.takes).needing]) : []
  const counts = new Counts()
  if (query.sort === 'found') {
    if (conditions.length === 0) counts.addNights(nightCounts(db))
    else for (const atMs of findTimesMs([])) counts.add(atMs, 1)
    for (const atMs of pinnedTimesMs) counts.pin(atMs)
  }
  return {
    // Counts of only the newest matches would contradict the rest of the window.
    standings:
      anyStanding.method === 'newest-matches'
        ? null
        : standingsOf(db, query, context, anyStanding.conditions),
    pinned: pinnedTimesMs.length,
    nights: counts.inOrder(query.descending),
  }
}
