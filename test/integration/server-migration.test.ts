import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../server/store/postgres/migrations.ts'
import { openPostgresStore } from '../../server/store/postgres/postgres-store.ts'
import { sessions } from '../../server/store/sessions.ts'
import { type Postgres, postgresql, startPostgres } from '../support/back-ends/postgres.ts'
import { needs } from '../support/needs.ts'

let postgres: Postgres
beforeAll(async () => {
  if (postgresql() !== null) return
  postgres = await startPostgres()
  return () => postgres.stop()
})

const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** The version of the last schema without stations. */
const oldVersion = migrations.findIndex((sql) => sql.includes('CREATE TABLE stations'))

const createOldDatabase = async (client: pg.Client): Promise<void> => {
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  for (const sql of migrations.slice(0, oldVersion)) await client.query(sql)
  await client.query(`
    CREATE TABLE schema_version (version INTEGER NOT NULL);
    INSERT INTO schema_version VALUES (${oldVersion});
    INSERT INTO orgs (id, name) VALUES ('org_1', 'Lab');
    INSERT INTO sessions (id, org_id, site, filename, bytes, sha256, part_size, status, created_at)
    VALUES ('ses_1', 'org_1', 'hall', 'a.bin', 7, '', 7, 'uploading', 1)`)
}

const openStore = async () => {
  const store = await openPostgresStore({ url: postgres.url })
  onTestFinished(() => store.close())
  return store
}

const waitForLock = async (observer: pg.Client): Promise<void> => {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
  await expect.poll(async () => (await observer.query(waiting)).rowCount).toBe(1)
}

describe('an instance that upgrades the database', needs(postgresql), () => {
  test('does not abort a transaction of an instance that still runs the earlier version', async () => {
    const earlier = await connect()
    await createOldDatabase(earlier)
    // Takes locks as a completion or a deletion of a session does: first in `sessions`, then in other tables.
    await earlier.query('BEGIN')
    await earlier.query('SELECT * FROM sessions FOR UPDATE')
    const opening = openStore()
    await waitForLock(await connect())
    await earlier.query(`UPDATE sessions SET status = 'processing', processing_due_at = 2`)
    await earlier.query('UPDATE orgs SET used_bytes = 8')
    await earlier.query('COMMIT')
    const store = await opening
    expect(await store.read(sessions.get('ses_1'))).toMatchObject({ status: 'processing', uploaded_at: 2 })
  })

  test('gives way to a long transaction, so that other queries wait only a short time', async () => {
    const dump = await connect()
    await createOldDatabase(dump)
    await dump.query('BEGIN')
    await dump.query('SELECT * FROM sessions')
    const opening = openStore()
    const reader = await connect()
    await waitForLock(reader)
    // This query waits behind the upgrade, until the upgrade gives way.
    expect((await reader.query('SELECT * FROM sessions')).rowCount).toBe(1)
    await dump.query('COMMIT')
    await opening
  })

  test('lists the sessions of a time range, even if a clock was set back before the upgrade', async () => {
    const client = await connect()
    await createOldDatabase(client)
    await client.query(`
      INSERT INTO sessions (id, org_id, site, filename, bytes, sha256, part_size, status, created_at)
      SELECT 'ses_' || n, 'org_1', 'hall', 'a.bin', 7, '', 7, 'uploading', (ARRAY[9, 4])[n - 1] FROM generate_series(2, 3) AS n`)
    const store = await openStore()
    const list = async (createdGte: number, createdLt: number) =>
      (await store.read(sessions.list({ orgId: 'org_1', createdGte, createdLt, limit: 10 }))).map(
        ({ id }) => id,
      )
    expect(await list(0, 5)).toEqual(['ses_3', 'ses_1'])
    expect(await list(5, 10)).toEqual(['ses_2'])
  })

  test('reports that the database closed the connection during the upgrade, and does not crash', async () => {
    const other = await connect()
    await other.query('BEGIN')
    await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('sluice-server migrations', 0))`)
    const opening = openStore()
    const observer = await connect()
    await waitForLock(observer)
    const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    await Promise.all([expect(opening).rejects.toThrow('terminating connection'), observer.query(waiting)])
  })
})
