import type { ClientBase, Pool } from 'pg'
import type { Query, Steps } from '../steps.ts'

type Prepared = { readonly name: string; readonly text: string; readonly names: readonly string[] }

/** All SQL texts in this folder are fixed, so the number of prepared statements is bounded. */
const prepared = new Map<string, Prepared>()

/** `@name` becomes `$1`. A parameter may occur several times. */
function prepare({ sql, locked }: Pick<Query, 'sql' | 'locked'>): Prepared {
  const text = locked ? `${sql} FOR UPDATE` : sql
  const known = prepared.get(text)
  if (known !== undefined) return known
  const names: string[] = []
  const numbered = text.replace(/@(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const made = { name: `s${prepared.size + 1}`, text: numbered, names }
  prepared.set(text, made)
  return made
}

export async function runSteps<T>(client: ClientBase | Pool, steps: Steps<T>): Promise<T> {
  let turn = steps.next()
  while (turn.done !== true) {
    const { params } = turn.value
    const { name, text, names } = prepare(turn.value)
    const values = names.map((each) => params[each] ?? null)
    const { rows, rowCount } = await client.query({ name, text, values })
    turn = steps.next({ rows, changes: rowCount ?? 0 })
  }
  return turn.value
}
