import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../../server/store/sqlite/migrations.ts'
import { openDatabase } from '../../../../server/store/sqlite/open.ts'

/** The last schema in which an endpoint could be deleted without its deliveries. */
const oldVersion = migrations.findIndex((sql) => sql.includes('CREATE TABLE new_deliveries'))

test('a migrated database keeps its deliveries, and deletes each one with its endpoint or session', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'old-deliveries-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const file = path.join(root, 'server.db')
  const old = new Database(file)
  old.function('sha256_hex', (text) => String(text))
  for (const sql of migrations.slice(0, oldVersion)) old.exec(sql)
  old.pragma(`application_id = ${0x534c5342}`)
  old.pragma(`user_version = ${oldVersion}`)
  old.exec(`INSERT INTO orgs (id, name) VALUES ('org_1', 'Lab')`)
  for (const id of ['1', '2', '3'])
    old.exec(`
      INSERT INTO sessions (id, org_id, site, filename, bytes, sha256, part_size, status, created_at)
      VALUES ('ses_${id}', 'org_1', 'hall', 'a.bin', 7, '', 7, 'processed', 1);
      INSERT INTO webhook_endpoints VALUES ('whe_${id}', 'org_1', 'https://lab.example', '[]', 's', 1);
      INSERT INTO deliveries (endpoint_id, session_id, event_id, body, created_at, next_attempt_at, attempts)
      VALUES ('whe_${id}', 'ses_${id}', 'evt_${id}', '{}', 10${id}, 20${id}, ${id})`)
  const oldRows = old.prepare('SELECT * FROM deliveries ORDER BY id').all()
  old.close()

  const opened = openDatabase(file, { access: 'exclusive', mayMigrate: true })
  if (opened.kind !== 'open') throw new Error(opened.kind)
  const { db } = opened
  onTestFinished(() => void db.close())
  expect(db.prepare('SELECT * FROM deliveries ORDER BY id').all()).toEqual(oldRows)
  expect(db.pragma('foreign_key_check')).toEqual([])
  db.exec(`DELETE FROM webhook_endpoints WHERE id = 'whe_1'; DELETE FROM sessions WHERE id = 'ses_2'`)
  expect(db.prepare('SELECT event_id FROM deliveries').all()).toEqual([{ event_id: 'evt_3' }])
})
