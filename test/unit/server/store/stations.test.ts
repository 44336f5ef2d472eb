import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../../server/store/sqlite/migrations.ts'
import { openDatabase } from '../../../../server/store/sqlite/open.ts'

/** The last schema without stations. */
const withoutStations = migrations.findIndex((sql) => sql.includes('CREATE TABLE stations'))

test('the migration of a database without a table of stations fills the table from the sessions', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'server-stations-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const file = path.join(root, 'server.db')
  const old = new Database(file)
  old.function('sha256_hex', (text) => String(text))
  for (const sql of migrations.slice(0, withoutStations)) old.exec(sql)
  old.pragma(`application_id = ${0x534c5342}`)
  old.pragma(`user_version = ${withoutStations}`)
  old.exec(`INSERT INTO orgs (id, name) VALUES ('org_1', 'One')`)
  const insert = old.prepare(
    `INSERT INTO sessions (id, org_id, site, device, filename, bytes, sha256, part_size, status, created_at, processing_due_at)
     VALUES (?, 'org_1', 'hall', ?, 'a.bin', 700, '', 100, ?, ?, ?)`,
  )
  insert.run('ses_1', 'arm', 'processed', 10, 15)
  insert.run('ses_2', 'arm', 'uploading', 20, null)
  insert.run('ses_3', null, 'uploading', 30, null)
  old.close()

  const opened = openDatabase(file, { access: 'exclusive', mayMigrate: true })
  if (opened.kind !== 'open') throw new Error(opened.kind)
  const rows = opened.db.prepare('SELECT * FROM stations ORDER BY device DESC').all()
  opened.db.close()
  const common = { org_id: 'org_1', site: 'hall' }
  expect(rows).toEqual([
    { ...common, device: 'arm', sessions: 2, bytes: 1_400, last_session_at: 20, last_upload_at: 15 },
    { ...common, device: '', sessions: 1, bytes: 700, last_session_at: 30, last_upload_at: null },
  ])
})
