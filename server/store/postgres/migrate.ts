import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { StartError } from '../../start-error.ts'
import { migrations } from './migrations.ts'

/** Shorter than the 1 s after which PostgreSQL looks for deadlocks, so that the migration gives way, not a request. */
const lockTimeoutMs = 500
const retryDelayMs = 200
const maxAttempts = 100
/** Lock timeout and deadlock. */
const lockConflictCodes = new Set(['55P03', '40P01'])

/** Instances that start together wait for each other here, and only the first one migrates. */
export async function migrate(pool: Pool): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateOnce(pool)
    } catch (error) {
      if (!lockConflictCodes.has((error as { code?: string }).code ?? '')) throw error
      if (attempt >= maxAttempts)
        throw new StartError('The database cannot be upgraded: a long transaction uses its tables.')
    }
    await delay(retryDelayMs)
  }
}

async function migrateOnce(pool: Pool): Promise<void> {
  const client = await pool.connect()
  // If the connection breaks, the running query fails too. Without a listener, the error event would end the process.
  const ignore = () => {}
  client.on('error', ignore)
  try {
    await client.query('BEGIN')
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('sluice-server migrations', 0))`)
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
    const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version')
    const version = rows[0]?.version ?? 0
    if (version > migrations.length)
      throw new StartError('The database was written by a newer version of the server.')
    if (version < migrations.length) await upgrade(client, version)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    client.off('error', ignore)
    client.release()
  }
}

/**
 * Instances of the earlier version still answer requests. Most of their transactions use `sessions` first, so the
 * upgrade locks this table first. After a deadlock with any other transaction, the upgrade is tried again.
 */
async function upgrade(client: PoolClient, version: number): Promise<void> {
  if (version > 0) {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    await client.query('LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE')
  }
  for (const sql of migrations.slice(version)) await client.query(sql)
  await client.query('DELETE FROM schema_version')
  await client.query('INSERT INTO schema_version (version) VALUES ($1)', [migrations.length])
}
