import type { CheckedArgs } from '../../../shared/ipc.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Viewpoint } from '../domain/standing.ts'
import { queuedFrom } from './send-queue.ts'
import { standingSql } from './standing-sql.ts'
import { placeholders } from './statements.ts'

type Filter = Extract<CheckedArgs<'retryRecordings'>, { readonly matching: unknown }>['matching']

export type Condition = { readonly sql: string; readonly values: readonly unknown[] }

/** `%` and `_` are ordinary characters in file names. */
const likeAnywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export const allOf = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
  values: conditions.flatMap(({ values }) => values),
})

const byFilters = (query: Filter, view: Viewpoint, paths: Paths): Condition[] => {
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
export const narrowed = (query: Filter, view: Viewpoint, paths: Paths): Condition[] => {
  const others = byFilters(query, view, paths)
  if (query.text === '') return others
  const { sql, values } = allOf(others)
  return [
    {
      sql: `(path || char(10) || site LIKE ? ESCAPE '\\' OR id IN (SELECT id FROM recordings WHERE session_id = ?))`,
      values: [likeAnywhere(query.text), query.text],
    },
    ...(others.length === 0 ? [] : [{ sql: `+id IN (SELECT id FROM recordings ${sql})`, values }]),
  ]
}

/** Those that need someone, and all others. None of the former is without a problem, and those have a small index. */
export const needsSomeone = (view: Viewpoint): { readonly those: Condition; readonly others: Condition } => {
  const { sql, values } = standingSql(view)
  const ids = `(SELECT id FROM recordings WHERE ends_by IS NOT NULL AND ${sql} = 'needs-someone')`
  return { those: { sql: `id IN ${ids}`, values }, others: { sql: `id NOT IN ${ids}`, values } }
}
