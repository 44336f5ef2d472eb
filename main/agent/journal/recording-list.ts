import type { Database } from 'better-sqlite3'
import type { CheckedArgs } from '../../../shared/ipc/ipc.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import { standings } from '../../../shared/status/standing.ts'
import type { RecordingOutline } from '../../../shared/status/status.ts'
import type { StandingContext } from '../domain/standing.ts'
import {
  allOf,
  oneRowPerTake,
  type RowSelection,
  rowSelection,
  type SqlCondition,
  splitByAttention,
} from './list-conditions.ts'
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
type Counts = { readonly all: number; readonly needAttention: number }
type Rows = { readonly total: number; readonly rows: unknown[] }

/**
 * The recordings list of the window. The database filters and sorts the list, so that the window never loads 100,000
 * rows.
 */
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

  /** `hasMore`: true if the search returned only the newest matches. There are then more matches than `total`. */
  page(
    query: Query,
    context: StandingContext,
  ): { readonly total: number; readonly hasMore: boolean; readonly rows: Recording[] } {
    return this.#page(this.#withoutUnusedTakes(query), context)
  }

  #page(query: Query, context: StandingContext) {
    const selection = this.#rowSelection(query, context)
    const { total, rows } = query.pinned
      ? this.#pinnedPage(query, context, selection)
      : this.#rows(query, selection, [], query, this.#tallyCounts(query, context)?.all)
    return { total, hasMore: selection.method === 'newest-matches', rows: toRecordings(rows) }
  }

  outline(query: Query, context: StandingContext): RecordingOutline {
    return outlineOf(this.#db, this.#withoutUnusedTakes(query), context, (wanted) =>
      this.#rowSelection(wanted, context),
    )
  }

  /** If the journal has no takes, sets `takes` to false: the list is the same, and the counts are faster. */
  #withoutUnusedTakes<Q extends { readonly takes: boolean }>(query: Q): Q {
    if (!query.takes) return query
    const take = this.#db.prepare(
      'SELECT 1 FROM recordings INDEXED BY recordings_by_take WHERE take IS NOT NULL LIMIT 1',
    )
    return { ...query, takes: take.get() !== undefined }
  }

  /** The ids of all matches, because an action applies to every match. With `takes`, one id per take. */
  ids(filter: ListFilter, context: StandingContext, takes = false): number[] {
    const { conditions } = rowSelection(filter, context, this.#paths)
    const { sql, values } = allOf(takes ? [...conditions, oneRowPerTake] : conditions)
    return this.#db
      .prepare(`SELECT id FROM recordings ${sql}`)
      .pluck()
      .all(...values) as number[]
  }

  /** The index of the recording's row in the list; null if the list does not contain the row. */
  indexOf(wanted: Order, context: StandingContext): number | null {
    const query = this.#withoutUnusedTakes(wanted)
    const { conditions } = this.#rowSelection(query, context)
    const id = query.takes ? this.#rowOfTake(query.id) : query.id
    const itself: SqlCondition = { sql: 'id = ?', values: [id] }
    if (this.#count([...conditions, itself]) === 0) return null
    const before: SqlCondition = {
      sql: `(${sortColumns[query.sort]}, id) ${query.descending ? '>' : '<'}
            (SELECT ${sortColumns[query.sort]}, id FROM recordings WHERE id = ?)`,
      values: [id],
    }
    if (!query.pinned) return this.#count([...conditions, before])
    const { needing, others } = splitByAttention(context, query.takes)
    if (this.#count([...conditions, needing, itself]) > 0)
      return this.#count([...conditions, needing, before])
    return this.#count([...conditions, needing]) + this.#count([...conditions, others, before])
  }

  /**
   * Runs one query for the recordings that need attention and one for the others, because a combined query would sort
   * all rows for each page.
   */
  #pinnedPage(query: Query, context: StandingContext, selection: RowSelection): Rows {
    const { needing, others } = splitByAttention(context, query.takes)
    const tallyCounts = this.#tallyCounts(query, context)
    const pinnedRows = this.#rows(query, selection, [needing], query, tallyCounts?.needAttention)
    const otherPage = {
      offset: Math.max(0, query.offset - pinnedRows.total),
      limit: query.limit - pinnedRows.rows.length,
    }
    const knownTotal = tallyCounts === null ? undefined : tallyCounts.all - tallyCounts.needAttention
    const otherRows = this.#rows(query, selection, [others], otherPage, knownTotal)
    return { total: pinnedRows.total + otherRows.total, rows: [...pinnedRows.rows, ...otherRows.rows] }
  }

  #tallyCounts(query: Query, context: StandingContext): Counts | null {
    if (!canUseTallies(query)) return null
    if (query.takes) return this.#countsWithTakes(query, context)
    const { conditions } = rowSelection({ ...query, standings: [] }, context, this.#paths)
    const counts = standingsOf(this.#db, query, context, conditions)
    const wantedStandings = query.standings.length === 0 ? standings : new Set(query.standings)
    let all = 0
    for (const standing of wantedStandings) all += counts[standing]
    const isWanted = [...wantedStandings].includes('needs-attention')
    return { all, needAttention: isWanted ? counts['needs-attention'] : 0 }
  }

  /**
   * Subtracts the files of takes from the count of all recordings, and adds the takes. This is faster than counting the
   * rows of the list, which would read each row.
   */
  #countsWithTakes(query: Query, context: StandingContext): Counts | null {
    if (query.folder !== undefined || query.standings.length + query.states.length > 0) return null
    const counts = this.#tallyCounts({ ...query, takes: false }, context)
    if (counts === null || query.problem !== undefined) return null
    const { files, takes } = this.#db
      .prepare(
        `SELECT COUNT(*) AS files, COUNT(DISTINCT CASE current WHEN 1 THEN take END) AS takes
         FROM recordings INDEXED BY recordings_by_take WHERE take IS NOT NULL`,
      )
      .get() as { readonly files: number; readonly takes: number }
    const needAttention = this.#count([splitByAttention(context, true).needing])
    return { all: counts.all - files + takes, needAttention }
  }

  #rowSelection(query: ListFilter & { readonly takes: boolean }, context: StandingContext): RowSelection {
    const matches = query.text === '' ? null : this.#search?.find(query.text)
    const selection = rowSelection(query, context, this.#paths, matches ?? null)
    return query.takes ? { ...selection, conditions: [...selection.conditions, oneRowPerTake] } : selection
  }

  /** The id of the row that stands for the take of a recording. */
  #rowOfTake(id: number): number {
    const row = this.#db
      .prepare(
        `SELECT MIN(id) FROM recordings WHERE current = 1 AND take = (SELECT take FROM recordings WHERE id = ?)`,
      )
      .pluck()
      .get(id) as number | null
    return row ?? id
  }

  #rows(
    query: Query,
    selection: RowSelection,
    moreConditions: readonly SqlCondition[],
    { offset, limit }: Page,
    knownTotal: number | undefined,
  ): Rows {
    const conditions = [...selection.conditions, ...moreConditions]
    const { sql, values } = allOf(conditions)
    const matching = `recordings ${sql}`
    const direction = query.descending ? 'DESC' : 'ASC'
    const order = `ORDER BY ${sortColumns[query.sort]} ${direction}, id ${direction}`
    // The index `recordings_by_text` is sorted by `found_at`. For a different order, the query first collects the
    // matching ids, and then reads the index of the requested column.
    const ids =
      selection.method === 'full-scan' && query.sort !== 'found'
        ? `SELECT id FROM recordings WHERE +id IN (SELECT id FROM ${matching})`
        : `SELECT id FROM ${matching}`
    const rows = this.#db
      .prepare(`SELECT * FROM recordings WHERE id IN (${ids} ${order} LIMIT ? OFFSET ?) ${order}`)
      .all(...values, limit, offset)
    // A partly filled page ends at the last row. An empty page may start far behind the last row, unless it is the
    // first page.
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0)
    return { total: isLast ? offset + rows.length : (knownTotal ?? this.#count(conditions)), rows }
  }

  #count(conditions: readonly SqlCondition[]): number {
    const { sql, values } = allOf(conditions)
    return this.#db
      .prepare(`SELECT COUNT(*) FROM recordings ${sql}`)
      .pluck()
      .get(...values) as number
  }
}
