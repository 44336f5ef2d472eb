import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../../server/store/sqlite/migrations.ts'
import { openDatabase } from '../../../../server/store/sqlite/open.ts'

/** The last schema without usage counters. */
const withoutCounters = 3

test('the migration of a database without usage counters stores the usage and the time range of the sessions', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'server-usage-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const file = path.join(root, 'server.db')
  const old = new Database(file)
  old.function('sha256_hex', (text) => String(text))
  for (const sql of migrations.slice(0, withoutCounters)) old.exec(sql)
  old.pragma(`application_id = ${0x534c5342}`)
  old.pragma(`user_version = ${withoutCounters}`)
  old.exec(`INSERT INTO orgs (id, name) VALUES ('org_1', 'One'), ('org_2', 'Two')`)
  for (const [id, createdAt] of [
    ['ses_1', 9],
    ['ses_2', 4],
  ])
    old.exec(`INSERT INTO sessions (id, org_id, site, filename, bytes, sha256, part_size, status, created_at)
      VALUES ('${id}', 'org_1', 'hall', 'a.bin', 700, '', 100, 'uploading', ${createdAt})`)
  old.close()

  const opened = openDatabase(file, { access: 'exclusive', mayMigrate: true })
  if (opened.kind !== 'open') throw new Error(opened.kind)
  const columns = 'id, used_bytes, used_sessions, newest_created_at, max_created_lag_ms'
  const rows = opened.db.prepare(`SELECT ${columns} FROM orgs ORDER BY id`).all()
  opened.db.close()
  expect(rows).toEqual([
    { id: 'org_1', used_bytes: 1_400, used_sessions: 2, newest_created_at: 9, max_created_lag_ms: 5 },
    { id: 'org_2', used_bytes: 0, used_sessions: 0, newest_created_at: 0, max_created_lag_ms: 0 },
  ])
})
