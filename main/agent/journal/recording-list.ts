import type { Database } from 'better-sqlite3'
import type { CheckedArgs } from '../../../shared/ipc.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Viewpoint } from '../domain/standing.ts'
import { type Recording, toRecordings } from './row.ts'
import { queuedFrom } from './send-queue.ts'
import { standingSql } from './standing-sql.ts'
import { placeholders } from './statements.ts'

type Query = CheckedArgs<'listRecordings'>
type Condition = { readonly sql: string; readonly values: readonly unknown[] }

const sortColumns = {
  found: 'found_at',
  name: 'name COLLATE NOCASE',
  state: 'state',
  bytes: 'bytes',
  changed: 'changed_at',
} as const satisfies Record<Query['sort'], string>

/** `%` and `_` are ordinary characters in file names. */
const likeAnywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

const allOf = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
  values: conditions.flatMap(({ values }) => values),
})

const filters = (query: Query, view: Viewpoint, paths: Paths): Condition[] => {
  const found: Condition[] = []
  if (query.standings.length > 0) {
    const { sql, values } = standingSql(view)
    found.push({
      sql: `${sql} IN (${placeholders(query.standings)})`,
      values: [...values, ...query.standings],
    })
  }
  if (query.states.length > 0)
    found.push({ sql: `state IN (${placeholders(query.states)})`, values: query.states })
  if (query.queuedFrom !== undefined) found.push(queuedFrom(query.queuedFrom))
  if (query.problem !== undefined) found.push({ sql: 'problem_code = ?', values: [query.problem] })
  if (query.folder !== undefined) found.push({ sql: 'folder_key = ?', values: [paths.key(query.folder)] })
  if (query.from !== undefined) found.push({ sql: 'found_at >= ?', values: [Date.parse(query.from)] })
  if (query.to !== undefined) found.push({ sql: 'found_at < ?', values: [Date.parse(query.to)] })
  return found
}

/**
 * A search looks at every recording, but only at the index of what is searched: a whole row is twenty times as
 * long. For the same reason the filters become a set of ids, found in indexes of their own; the plus keeps SQLite
 * from fetching the row of each instead.
 */
const searched = (query: Query, view: Viewpoint, paths: Paths): Condition => {
  const others = filters(query, view, paths)
  const { sql, values } = allOf(others)
  return allOf([
    {
      sql: `(path || char(10) || site LIKE ? ESCAPE '\\' OR id IN (SELECT id FROM recordings WHERE session_id = ?))`,
      values: [likeAnywhere(query.text), query.text],
    },
    ...(others.length === 0 ? [] : [{ sql: `+id IN (SELECT id FROM recordings ${sql})`, values }]),
  ])
}

/** The list that people see. Its page never filters or sorts by itself: 100,000 rows stay here. */
export class RecordingList {
  readonly #db: Database
  readonly #paths: Paths

  constructor(db: Database, paths: Paths) {
    this.#db = db
    this.#paths = paths
  }

  page(query: Query, view: Viewpoint): { readonly total: number; readonly rows: Recording[] } {
    const bySearch = query.text !== ''
    const { sql, values } = bySearch
      ? searched(query, view, this.#paths)
      : allOf(filters(query, view, this.#paths))
    const matching = `recordings ${sql}`
    const direction = query.descending ? 'DESC' : 'ASC'
    const order = `ORDER BY ${sortColumns[query.sort]} ${direction}, id ${direction}`
    // The searched index is in the order of finding; for another one its ids are met again in that order's index.
    const ids =
      bySearch && query.sort !== 'found'
        ? `SELECT id FROM recordings WHERE +id IN (SELECT id FROM ${matching})`
        : `SELECT id FROM ${matching}`
    const rows = this.#db
      .prepare(`SELECT * FROM recordings WHERE id IN (${ids} ${order} LIMIT ? OFFSET ?) ${order}`)
      .all(...values, query.limit, query.offset)
    // A page that is not full is the last one: everything has been counted on the way.
    const isLast = rows.length < query.limit && (rows.length > 0 || query.offset === 0)
    return {
      total: isLast ? query.offset + rows.length : this.#count(matching, values),
      rows: toRecordings(rows),
    }
  }

  #count(matching: string, values: readonly unknown[]): number {
    const row = this.#db.prepare(`SELECT COUNT(*) AS n FROM ${matching}`).get(...values) as { n: number }
    return row.n
  }
}
