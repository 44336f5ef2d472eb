import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { IdempotencyKeys } from '../../../../server/control/idempotency.ts'
import { openDataFolder } from '../../../../server/data-folder.ts'
import { createSqliteStore } from '../../../../server/store/sqlite/sqlite-store.ts'

test('a request whose Idempotency-Key cannot be read, because the database fails, can be repeated', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'idempotency-'))
  const folder = await openDataFolder(root, 'server')
  const store = createSqliteStore(folder.db)
  onTestFinished(async () => {
    await store.close()
    await folder.close()
    await rm(root, { recursive: true })
  })
  let isDown = true
  const failingStore: typeof store = {
    ...store,
    read: (steps) => (isDown ? Promise.reject(new Error('connection lost')) : store.read(steps)),
  }
  const signer = { secret: Buffer.alloc(32), uploadUrl: '', checksumHeader: '', directParts: null }
  const keys = new IdempotencyKeys(failingStore, signer, () => 1)
  const request = { orgId: 'org_1', key: 'repeated', fingerprint: 'same', requestId: 'req_1' }
  await expect(keys.begin(request)).rejects.toThrow('connection lost')
  isDown = false
  expect(await keys.begin(request)).toMatchObject({ kind: 'started' })
})
