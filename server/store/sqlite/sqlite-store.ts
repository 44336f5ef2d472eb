import type { Statement } from 'better-sqlite3'
import { memoryClaims } from '../claims.ts'
import { memoryRateWindows } from '../rate-windows.ts'
import type { QueryResult, Steps } from '../steps.ts'
import type { Store } from '../store.ts'
import type { Db } from './open.ts'
import { WriteQueue } from './write-queue.ts'

/** The store for a server that runs as one process. Claims and rate limits end with the process, so they stay in memory. */
export function createSqliteStore(db: Db): Store {
  const queue = new WriteQueue(db)
  const run = stepRunner(db)
  return {
    read: async (steps) => run(steps),
    write: (work) => queue.run(() => run(work())),
    writeOne: (step) => queue.run(() => run(step)),
    claims: memoryClaims(),
    rates: memoryRateWindows(),
    pollIntervalMs: null,
    async close() {
      queue.flush()
      db.close()
    },
  }
}

function stepRunner(db: Db): <T>(steps: Steps<T>) => T {
  const statements = new Map<string, Statement>()
  const statementOf = (sql: string): Statement => {
    const existingStatement = statements.get(sql)
    if (existingStatement !== undefined) return existingStatement
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return (steps) => {
    let turn = steps.next()
    while (turn.done !== true) {
      const { sql, params } = turn.value
      const statement = statementOf(sql)
      const result: QueryResult = statement.reader
        ? { rows: statement.all(params), changes: 0 }
        : { rows: [], changes: statement.run(params).changes }
      turn = steps.next(result)
    }
    return turn.value
  }
}
