import type { QueryConfig, QueryResult } from 'pg'
import type { Query, Steps } from '../steps.ts'
import type { Pipeline } from './pipeline.ts'

type PreparedStatement = { readonly name: string; readonly text: string; readonly names: readonly string[] }

/** Stays small, because the SQL of the store has a fixed number of variants. */
const statements = new Map<string, PreparedStatement>()

/**
 * `@name` becomes `$1`. FOR NO KEY UPDATE locks the row, but other transactions may still add rows that refer to it.
 */
function prepare({ sql, locksRows }: Pick<Query, 'sql' | 'locksRows'>): PreparedStatement {
  const text = locksRows ? `${sql} FOR NO KEY UPDATE` : sql
  const existingStatement = statements.get(text)
  if (existingStatement !== undefined) return existingStatement
  const names: string[] = []
  const numberedText = text.replace(/@(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const statement = { name: `s${statements.size + 1}`, text: numberedText, names }
  statements.set(text, statement)
  return statement
}

/** A connection, or a pool of connections. */
export type Queryable = { query(query: QueryConfig): Promise<QueryResult> }

/** Awaits each step, except a step whose result nobody needs: with a `pipeline`, its answer is awaited later. */
export async function runSteps<T>(
  client: Queryable,
  steps: Steps<T>,
  pipeline: Pipeline | null = null,
): Promise<T> {
  let turn = steps.next()
  while (turn.done !== true) {
    const { params, needsResult } = turn.value
    const { name, text, names } = prepare(turn.value)
    const values = names.map((each) => params[each] ?? null)
    const answer = client.query({ name, text, values })
    if (pipeline !== null && !needsResult) {
      pipeline.add(answer)
      turn = steps.next({ rows: [], changes: 0 })
    } else {
      const { rows, rowCount } = await answer
      turn = steps.next({ rows, changes: rowCount ?? 0 })
    }
  }
  return turn.value
}
