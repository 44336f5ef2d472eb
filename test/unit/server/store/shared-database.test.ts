import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openDataFolder, openServerDatabase } from '../../../../server/data-folder.ts'
import { orgs } from '../../../../server/store/orgs.ts'
import { migrations } from '../../../../server/store/sqlite/migrations.ts'
import { createSqliteStore } from '../../../../server/store/sqlite/sqlite-store.ts'

const makeFolder = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'shared-database-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('no other process can write between the reads and the writes of a transaction', async () => {
  const folder = await makeFolder()
  const server = await openDataFolder(folder, 'server')
  const store = createSqliteStore(server.db)
  const command = new Database(path.join(folder, 'server.db'), { timeout: 0 })
  await store.write(function* () {
    yield* orgs.get('org_1')
    expect(() => command.exec(`INSERT INTO orgs (id, name) VALUES ('org_2', '')`)).toThrow('locked')
    yield* orgs.add('org_1', 'Lab')
  })
  command.close()
  expect(await store.read(orgs.list())).toHaveLength(1)
  await store.close()
  await server.close()
})

test('a command upgrades the database only if the server is stopped', async () => {
  const folder = await makeFolder()
  const server = await openDataFolder(folder, 'server')
  server.db.pragma(`user_version = ${migrations.length - 1}`)
  await expect(openServerDatabase(folder)).rejects.toThrow(
    `The server that uses ${folder} has an older version. Restart it, then repeat the command.`,
  )
  server.db.close()
  await server.close()
  const command = await openServerDatabase(folder)
  expect(command.db.pragma('user_version', { simple: true })).toBe(migrations.length)
  command.db.close()
  await command.close()
})
