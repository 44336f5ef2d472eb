import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cleanUp } from '../../../server/clean-up.ts'
import { openDataFolder } from '../../../server/data-folder.ts'
import { systemRandom } from '../../../server/ids.ts'
import { PartFiles } from '../../../server/storage/part-files.ts'
import { orgs } from '../../../server/store/orgs.ts'
import { parts } from '../../../server/store/parts.ts'
import { sessions } from '../../../server/store/sessions.ts'
import { createSqliteStore } from '../../../server/store/sqlite/sqlite-store.ts'

test('deletes only old files that belong to no part', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'server-clean-up-'))
  const folder = await openDataFolder(root, 'server')
  const store = createSqliteStore(folder.db)
  onTestFinished(async () => {
    await store.close()
    await folder.close()
    await rm(root, { recursive: true })
  })
  const bytes = await PartFiles.open(root, systemRandom, null)
  const [used, replaced, running] = [1, 1, 2].map((number) => bytes.newName('ses_1', number)) as [
    string,
    string,
    string,
  ]
  for (const name of [used, replaced, running, 'not-ours']) {
    writeFileSync(path.join(root, 'parts', name), 'x')
    if (name !== running) utimesSync(path.join(root, 'parts', name), 0, 0)
  }
  await store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    const session = {
      id: 'ses_1',
      org_id: 'org_1',
      site: 'hall',
      device: null,
      filename: 'a.bin',
      notes: null,
    }
    yield* sessions.insert({ ...session, bytes: 1, part_size: 1, sha256: '', created_at: Date.now() })
    yield* parts.put({ session_id: 'ses_1', number: 1, file: used, bytes: 1, sha256: '', etag: '' })
  })
  const rules = { abandonedAfterMs: 1_000_000, auditRetentionMs: null, leftoversAfterMs: 60_000 }
  const dependencies = { store, bytes, clock: { now: Date.now, onJump: () => {} }, log: () => {}, rules }
  const listExisting = () =>
    [used, replaced, running, 'not-ours'].map((name) => existsSync(path.join(root, 'parts', name)))

  const dryRunResult = await cleanUp(dependencies, { dryRun: true })
  expect([dryRunResult, listExisting()]).toEqual([
    { abandoned: [], leftovers: [replaced] },
    [true, true, true, true],
  ])
  expect(await cleanUp(dependencies, { dryRun: false })).toEqual(dryRunResult)
  expect(listExisting()).toEqual([true, false, true, true])
})
