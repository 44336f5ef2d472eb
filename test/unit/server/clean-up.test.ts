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

const openServer = async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'server-clean-up-'))
  const folder = await openDataFolder(root, 'server')
  const store = createSqliteStore(folder.db)
  onTestFinished(async () => {
    await store.close()
    await folder.close()
    await rm(root, { recursive: true })
  })
  const bytes = await PartFiles.open(root, systemRandom, null)
  const clock = { now: Date.now, onJump: () => {} }
  return { root, dependencies: { store, bytes, clock, log: () => {} } }
}

/** An upload that no client has completed. */
const unfinishedSession = (id: string, created_at: number) => ({
  id,
  org_id: 'org_1',
  site: 'hall',
  device: null,
  filename: 'a.bin',
  notes: null,
  bytes: 1,
  part_size: 1,
  sha256: '',
  created_at,
})

test('deletes only old files that belong to no part', async () => {
  const { root, dependencies: opened } = await openServer()
  const { store, bytes } = opened
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
    yield* sessions.insert(unfinishedSession('ses_1', Date.now()))
    yield* parts.put({ session_id: 'ses_1', number: 1, file: used, bytes: 1, sha256: '', etag: '' })
  })
  const rules = { abandonedAfterMs: 1_000_000, auditRetentionMs: null, leftoversAfterMs: 60_000 }
  const dependencies = { ...opened, rules }
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

test('lists and deletes all abandoned uploads, however many there are', async () => {
  const { dependencies: opened } = await openServer()
  const ids = Array.from({ length: 250 }, (_, index) => `ses_${index}`)
  await opened.store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    yield* sessions.insert(unfinishedSession('ses_new', Date.now()))
    for (const id of ids) yield* sessions.insert(unfinishedSession(id, 0))
  })
  const rules = { abandonedAfterMs: 60_000, auditRetentionMs: null, leftoversAfterMs: null }
  const dependencies = { ...opened, rules }
  expect((await cleanUp(dependencies, { dryRun: true })).abandoned).toEqual(ids)
  let removals = 0
  const stopped = await cleanUp(dependencies, { dryRun: false, isStopped: () => removals++ === 120 })
  expect(stopped.abandoned).toEqual(ids.slice(0, 120))
  expect((await cleanUp(dependencies, { dryRun: false })).abandoned).toEqual(ids.slice(120))
  expect(await opened.store.read(sessions.get('ses_new'))).toBeDefined()
})
