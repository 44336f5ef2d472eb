import pg from 'pg'
import type { RateWindows } from '../rate-windows.ts'
import { rateWindowMs } from '../rate-windows.ts'
import { first, type Steps } from '../steps.ts'
import type { Store } from '../store.ts'
import { type Connection, clientConfig } from './connection.ts'
import { migrate } from './migrate.ts'
import { Pipeline } from './pipeline.ts'
import { PostgresClaims } from './postgres-claims.ts'
import { runSteps } from './run-steps.ts'
import { isStalePlan, maxConnections, rerunStalePlans } from './stale-plans.ts'

/** Serialization failure and deadlock: PostgreSQL has rolled the transaction back, so the store runs it again. */
const retryableCodes = new Set(['40001', '40P01'])
const maxAttempts = 3
/** The name makes `BEGIN` a prepared statement, which node-postgres sends together with the first step. */
const begin = { name: 'begin', text: 'BEGIN' }
const pollIntervalMs = 1_000

/** The store of several instances. Each instance can answer every request. */
export async function openPostgresStore(connection: Connection): Promise<Store> {
  const pool = new pg.Pool({ ...clientConfig(connection), max: maxConnections })
  // Ignore the error of a connection that broke while idle, because the next query replaces this connection.
  pool.on('error', () => {})
  const claims = new PostgresClaims(connection)
  const close = async () => {
    await claims.close()
    await pool.end()
  }
  try {
    await migrate(pool)
  } catch (error) {
    await close()
    throw error
  }
  return {
    read: (steps) => runSteps(rerunStalePlans(pool), steps),
    write: (work) => inTransaction(pool, work),
    writeOne: (step) => runSteps(rerunStalePlans(pool), step),
    claims,
    rates: rateWindows(pool),
    pollIntervalMs,
    close,
  }
}

async function inTransaction<T>(pool: pg.Pool, work: () => Steps<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pool.connect()
    let isBroken = false
    // If the connection breaks, the running query fails too. Without a listener, the error event would end the process.
    const ignore = () => {}
    client.on('error', ignore)
    const pipeline = new Pipeline()
    try {
      pipeline.add(client.query(begin))
      const result = await runSteps(client, work(), pipeline)
      // If a step has failed, PostgreSQL rolls back instead of committing, and `end` throws.
      pipeline.add(client.query('COMMIT'))
      await pipeline.end()
      return result
    } catch (thrown) {
      const error = (await pipeline.firstFailure()) ?? thrown
      isBroken = isStalePlan(error)
      await client.query('ROLLBACK').catch(() => {
        isBroken = true
      })
      if (isStalePlan(error) && attempt <= maxConnections) continue
      if (attempt >= maxAttempts || !retryableCodes.has((error as { code?: string }).code ?? '')) throw error
    } finally {
      client.off('error', ignore)
      client.release(isBroken)
    }
  }
}

function rateWindows(pool: pg.Pool): RateWindows {
  const currentWindowSql = `w.started_at <= @now AND @now < w.started_at + ${rateWindowMs}`
  const sql = `INSERT INTO rate_windows AS w (bucket, started_at, used) VALUES (@bucket, @now, 1)
    ON CONFLICT (bucket) DO UPDATE SET
      started_at = CASE WHEN ${currentWindowSql} THEN w.started_at ELSE @now END,
      used = CASE WHEN ${currentWindowSql} THEN w.used + 1 ELSE 1 END
    RETURNING started_at, used`
  return {
    async count(bucket, now) {
      const row = await runSteps(
        rerunStalePlans(pool),
        first<{ started_at: number; used: number }>(sql, { bucket, now }),
      )
      return { startedAt: row!.started_at, used: row!.used }
    },
  }
}
