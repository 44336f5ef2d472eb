import type { CheckedArgs } from '../../../shared/ipc/ipc.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { StandingContext } from '../domain/standing.ts'
import { queuedFrom } from './send-queue.ts'
import { standingSql } from './standing-sql.ts'
import { placeholders } from './statements.ts'
import { likeAnywhere, type TextMatches } from './text-search.ts'

type Filter = Extract<CheckedArgs<'retryRecordings'>, { readonly matching: unknown }>['matching']

export type SqlCondition = { readonly sql: string; readonly values: readonly unknown[] }

export type RowSelection = {
  readonly conditions: readonly SqlCondition[]
  /** How the rows were selected. `newest-matches`: only the newest of all matches. */
  readonly by: 'filters' | 'found' | 'newest-matches' | 'full-scan'
}

export const allOf = (conditions: readonly SqlCondition[]): SqlCondition => ({
  sql: conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
  values: conditions.flatMap(({ values }) => values),
})

const byFilters = (query: Filter, view: StandingContext, paths: Paths): SqlCondition[] => {
  const found: SqlCondition[] = []
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

/** The search result can be used, unless it was truncated and a filter would need the rest. */
const isUsable = (found: TextMatches | null, others: readonly SqlCondition[]): found is TextMatches =>
  found !== null && (found.isAll || others.length === 0)

/**
 * A full text search reads every recording, but only in the index of searched text: a whole row is twenty times as
 * long. So the filters become a set of ids from their own indexes. The plus keeps SQLite from fetching the row of each
 * id.
 */
export const rowSelection = (
  query: Filter,
  view: StandingContext,
  paths: Paths,
  found: TextMatches | null = null,
): RowSelection => {
  const others = byFilters(query, view, paths)
  if (query.text === '') return { conditions: others, by: 'filters' }
  if (isUsable(found, others)) {
    const ids = { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(found.ids)] }
    return { conditions: [ids, ...others], by: found.isAll ? 'found' : 'newest-matches' }
  }
  const { sql, values } = allOf(others)
  const conditions = [
    {
      sql: `(path || char(10) || site LIKE ? ESCAPE '\\' OR id IN (SELECT id FROM recordings WHERE session_id = ?))`,
      values: [likeAnywhere(query.text), query.text],
    },
    ...(others.length === 0 ? [] : [{ sql: `+id IN (SELECT id FROM recordings ${sql})`, values }]),
  ]
  return { conditions, by: 'full-scan' }
}

/**
 * Splits recordings into those that need attention and all others. Only recordings with a problem can need attention,
 * and a small index has them. The query names that index, because SQLite would prefer a covering index of all
 * recordings.
 */
export const byAttention = (
  view: StandingContext,
): { readonly needing: SqlCondition; readonly others: SqlCondition } => {
  const { sql, values } = standingSql(view)
  const ids = `(SELECT id FROM recordings INDEXED BY recordings_by_ending WHERE ends_by IS NOT NULL AND ${sql} = 'needs-attention')`
  return { needing: { sql: `id IN ${ids}`, values }, others: { sql: `id NOT IN ${ids}`, values } }
}
