import type { Pool } from 'pg'
import { StartError } from '../../start-error.ts'
import { migrations } from './migrations.ts'

/** Instances that start together wait for each other here, and only the first one migrates. */
export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('sluice-server migrations', 0))`)
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
    const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version')
    const version = rows[0]?.version ?? 0
    if (version > migrations.length)
      throw new StartError('The database was written by a newer version of the server.')
    for (const sql of migrations.slice(version)) await client.query(sql)
    await client.query('DELETE FROM schema_version')
    await client.query('INSERT INTO schema_version (version) VALUES ($1)', [migrations.length])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}
