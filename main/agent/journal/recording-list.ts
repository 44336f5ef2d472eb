import type { Database } from 'better-sqlite3'
import type { CheckedArgs } from '../../../shared/ipc/ipc.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import { type RecordingOutline, standings } from '../../../shared/status/status.ts'
import type { StandingContext } from '../domain/standing.ts'
import { allOf, byAttention, type RowSelection, rowSelection, type SqlCondition } from './list-conditions.ts'
import { canUseTallies, outlineOf, standingsOf } from './list-outline.ts'
import { type Recording, toRecordings } from './row.ts'
import type { TextSearch } from './text-search.ts'

type Query = CheckedArgs<'listRecordings'>
export type ListFilter = Extract<CheckedArgs<'retryRecordings'>, { readonly matching: unknown }>['matching']
type Order = CheckedArgs<'locateRecording'>

const sortColumns = {
  found: 'found_at',
  name: 'name COLLATE NOCASE',
  state: 'state',
  bytes: 'bytes',
  changed: 'changed_at',
} as const satisfies Record<Query['sort'], string>

type Page = { readonly offset: number; readonly limit: number }
type Rows = { readonly total: number; readonly rows: unknown[] }

/** The recordings list of the window. It filters and sorts here, not in the page: 100,000 rows stay in the database. */
export class RecordingList {
  readonly #db: Database
  readonly #paths: Paths
  readonly #search: TextSearch | null

  /** Without `search`, a text query reads every recording. */
  constructor(db: Database, paths: Paths, search: TextSearch | null = null) {
    this.#db = db
    this.#paths = paths
    this.#search = search
  }

  /** `hasMore`: `total` counts only the newest matches. */
  page(
    query: Query,
    view: StandingContext,
  ): { readonly total: number; readonly hasMore: boolean; readonly rows: Recording[] } {
    const narrow = this.#rowSelection(query, view)
    const { total, rows } = query.pinned
      ? this.#pinnedPage(query, view, narrow)
      : this.#rows(query, narrow, [], query, this.#tallied(query, view)?.all)
    return { total, hasMore: narrow.by === 'newest-matches', rows: toRecordings(rows) }
  }

  outline(query: Query, view: StandingContext): RecordingOutline {
    return outlineOf(this.#db, query, view, (wanted) => this.#rowSelection(wanted, view))
  }

  /** All matches, never truncated: an action applies to every match. */
  ids(filter: ListFilter, view: StandingContext): number[] {
    const { sql, values } = allOf(rowSelection(filter, view, this.#paths).conditions)
    return this.#db
      .prepare(`SELECT id FROM recordings ${sql}`)
      .pluck()
      .all(...values) as number[]
  }

  /** The index of the row in the list; null if the list does not contain it. */
  indexOf(query: Order, view: StandingContext): number | null {
    const { conditions } = this.#rowSelection(query, view)
    const itself: SqlCondition = { sql: 'id = ?', values: [query.id] }
    if (this.#count([...conditions, itself]) === 0) return null
    const before: SqlCondition = {
      sql: `(${sortColumns[query.sort]}, id) ${query.descending ? '>' : '<'}
            (SELECT ${sortColumns[query.sort]}, id FROM recordings WHERE id = ?)`,
      values: [query.id],
    }
    if (!query.pinned) return this.#count([...conditions, before])
    const { needing, others } = byAttention(view)
    if (this.#count([...conditions, needing, itself]) > 0)
      return this.#count([...conditions, needing, before])
    return this.#count([...conditions, needing]) + this.#count([...conditions, others, before])
  }

  /** Queries the two groups one after the other: one combined sort would sort all rows for each page. */
  #pinnedPage(query: Query, view: StandingContext, narrow: RowSelection): Rows {
    const { needing, others } = byAttention(view)
    const tallied = this.#tallied(query, view)
    const first = this.#rows(query, narrow, [needing], query, tallied?.needAttention)
    const restPage = {
      offset: Math.max(0, query.offset - first.total),
      limit: query.limit - first.rows.length,
    }
    const counted = tallied === null ? undefined : tallied.all - tallied.needAttention
    const rest = this.#rows(query, narrow, [others], restPage, counted)
    return { total: first.total + rest.total, rows: [...first.rows, ...rest.rows] }
  }

  #tallied(
    query: Query,
    view: StandingContext,
  ): { readonly all: number; readonly needAttention: number } | null {
    if (!canUseTallies(query)) return null
    const { conditions } = rowSelection({ ...query, standings: [] }, view, this.#paths)
    const counts = standingsOf(this.#db, query, view, conditions)
    const wanted = query.standings.length === 0 ? standings : new Set(query.standings)
    let all = 0
    for (const standing of wanted) all += counts[standing]
    const isWanted = [...wanted].includes('needs-attention')
    return { all, needAttention: isWanted ? counts['needs-attention'] : 0 }
  }

  #rowSelection(query: ListFilter, view: StandingContext): RowSelection {
    const found = query.text === '' ? null : this.#search?.find(query.text)
    return rowSelection(query, view, this.#paths, found ?? null)
  }

  #rows(
    query: Query,
    narrow: RowSelection,
    more: readonly SqlCondition[],
    { offset, limit }: Page,
    counted: number | undefined,
  ): Rows {
    const conditions = [...narrow.conditions, ...more]
    const { sql, values } = allOf(conditions)
    const matching = `recordings ${sql}`
    const direction = query.descending ? 'DESC' : 'ASC'
    const order = `ORDER BY ${sortColumns[query.sort]} ${direction}, id ${direction}`
    // The search index is ordered by the time of finding. For a different order, look up the ids in the index of that
    // order.
    const ids =
      narrow.by === 'full-scan' && query.sort !== 'found'
        ? `SELECT id FROM recordings WHERE +id IN (SELECT id FROM ${matching})`
        : `SELECT id FROM ${matching}`
    const rows = this.#db
      .prepare(`SELECT * FROM recordings WHERE id IN (${ids} ${order} LIMIT ? OFFSET ?) ${order}`)
      .all(...values, limit, offset)
    // A page that is not full is the last one, so its end is the total.
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0)
    return { total: isLast ? offset + rows.length : (counted ?? this.#count(conditions)), rows }
  }

  #count(conditions: readonly SqlCondition[]): number {
    const { sql, values } = allOf(conditions)
    return this.#db
      .prepare(`SELECT COUNT(*) FROM recordings ${sql}`)
      .pluck()
      .get(...values) as number
  }
}
