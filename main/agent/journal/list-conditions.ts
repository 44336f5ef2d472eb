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
  /**
   * How the rows were selected. `found`: by the search index. `newest-matches`: by the search index, but only the
   * newest of all matches.
   */
  readonly method: 'filters' | 'found' | 'newest-matches' | 'full-scan'
}

export const allOf = (conditions: readonly SqlCondition[]): SqlCondition => ({
  sql: conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
  values: conditions.flatMap(({ values }) => values),
})

const filterConditions = (query: Filter, context: StandingContext, paths: Paths): SqlCondition[] => {
  const conditions: SqlCondition[] = []
  if (query.standings.length > 0) {
    const { sql, values } = standingSql(context)
    conditions.push({
      sql: `${sql} IN (${placeholders(query.standings)})`,
      values: [...values, ...query.standings],
    })
  }
  if (query.states.length > 0)
    conditions.push({ sql: `state IN (${placeholders(query.states)})`, values: query.states })
  if (query.queuedFrom !== undefined) conditions.push(queuedFrom(query.queuedFrom))
  if (query.problem !== undefined) conditions.push({ sql: 'problem_code = ?', values: [query.problem] })
  if (query.folder !== undefined)
    conditions.push({ sql: 'folder_key = ?', values: [paths.key(query.folder)] })
  if (query.from !== undefined) conditions.push({ sql: 'found_at >= ?', values: [Date.parse(query.from)] })
  if (query.to !== undefined) conditions.push({ sql: 'found_at < ?', values: [Date.parse(query.to)] })
  return conditions
}

/** A truncated search result cannot be filtered, because some matches are missing. */
const isUsable = (matches: TextMatches | null, filters: readonly SqlCondition[]): matches is TextMatches =>
  matches !== null && (matches.isAll || filters.length === 0)

export const rowSelection = (
  query: Filter,
  context: StandingContext,
  paths: Paths,
  matches: TextMatches | null = null,
): RowSelection => {
  const filters = filterConditions(query, context, paths)
  if (query.text === '') return { conditions: filters, method: 'filters' }
  if (isUsable(matches, filters)) {
    const ids = { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(matches.ids)] }
    return { conditions: [ids, ...filters], method: matches.isAll ? 'found' : 'newest-matches' }
  }
  // This reads the whole index `recordings_by_text`, which is much smaller than the table. The index lacks the columns
  // of the filters, so a subquery applies them. Without the plus sign, SQLite would fetch the whole row of each id.
  const { sql, values } = allOf(filters)
  const conditions = [
    {
      sql: `(path || char(10) || site LIKE ? ESCAPE '\\' OR id IN (SELECT id FROM recordings WHERE session_id = ?))`,
      values: [likeAnywhere(query.text), query.text],
    },
    ...(filters.length === 0 ? [] : [{ sql: `+id IN (SELECT id FROM recordings ${sql})`, values }]),
  ]
  return { conditions, method: 'full-scan' }
}

/**
 * Selects each recording without a take. Of the current files of each take, selects only the one that was found first:
 * its row stands for the take.
 */
export const oneRowPerTake: SqlCondition = {
  sql: `(take IS NULL OR (current = 1 AND NOT EXISTS (SELECT 1 FROM recordings AS earlier INDEXED BY recordings_by_take
    WHERE earlier.take = recordings.take AND earlier.current = 1 AND earlier.id < recordings.id)))`,
  values: [],
}

/**
 * Splits recordings into those that need attention and all others. Only recordings with a problem can need attention.
 * The query names the small index of these recordings, because SQLite would prefer a covering index of all recordings.
 * With `byTake`, a take needs attention if one of its current files does.
 */
export const splitByAttention = (
  context: StandingContext,
  byTake: boolean,
): { readonly needing: SqlCondition; readonly others: SqlCondition } => {
  const { sql, values } = standingSql(context)
  const rowId = byTake
    ? `CASE WHEN take IS NULL THEN id ELSE (SELECT MIN(first.id) FROM recordings AS first INDEXED BY recordings_by_take
        WHERE first.take = recordings.take AND first.current = 1) END`
    : 'id'
  const isMember = byTake ? 'AND (take IS NULL OR current = 1)' : ''
  const ids = `(SELECT ${rowId} FROM recordings INDEXED BY recordings_by_ending
    WHERE ends_by IS NOT NULL AND ${sql} = 'needs-attention' ${isMember})`
  return { needing: { sql: `id IN ${ids}`, values }, others: { sql: `id NOT IN ${ids}`, values } }
}
