import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CleanUp, cleanUp } from '../../../server/clean-up.ts'
import { openDataFolder } from '../../../server/data-folder.ts'
import { systemRandom } from '../../../server/ids.ts'
import { PartFiles } from '../../../server/storage/part-files.ts'
import { measureCreatedLags } from '../../../server/store/created-lag.ts'
import { meta } from '../../../server/store/meta.ts'
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
  return { root, db: folder.db, dependencies: { store, bytes, clock, log: () => {} } }
}

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

test('the clean-up deletes only old part files that no part uses, and keeps files with unknown names', async () => {
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
    yield* meta.firstUsedAtMs(0)
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

test('keeps files that are older than the database, because an earlier database may have listed them', async () => {
  const { root, dependencies: opened } = await openServer()
  const older = opened.bytes.newName('ses_lost', 1)
  writeFileSync(path.join(root, 'parts', older), 'x')
  utimesSync(path.join(root, 'parts', older), 1_000, 1_000)
  const rules = { abandonedAfterMs: null, auditRetentionMs: null, leftoversAfterMs: 60_000 }
  expect((await cleanUp({ ...opened, rules }, { dryRun: false })).leftovers).toEqual([])
  expect(existsSync(path.join(root, 'parts', older))).toBe(true)
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

test('logs why an hourly clean-up failed', async () => {
  const { dependencies: opened } = await openServer()
  const lines: string[] = []
  vi.spyOn(opened.bytes, 'names').mockImplementation(() => {
    throw new Error('AccessDenied')
  })
  const rules = { abandonedAfterMs: null, auditRetentionMs: null, leftoversAfterMs: 60_000 }
  const log = (line: string) => void lines.push(line)
  const hourly = new CleanUp({ ...opened, rules, log })
  onTestFinished(() => hourly.stop())
  hourly.wake()
  await expect
    .poll(() => lines)
    .toEqual(['the clean-up failed, and runs again in an hour: Error: AccessDenied'])
})

test('measures the creation times again every hour, so that lists of a time range are fast again after deletions', async () => {
  const { db, dependencies: opened } = await openServer()
  const { store } = opened
  const yearMs = 365 * 24 * 60 * 60 * 1000
  const rules = { abandonedAfterMs: null, auditRetentionMs: null, leftoversAfterMs: null }
  await store.write(function* () {
    for (const org of ['org_1', 'org_2', 'org_3']) yield* orgs.add(org, 'Lab')
    for (const [id, org_id, createdAt] of [
      ['ahead', 'org_1', yearMs],
      ['a', 'org_1', 5_000],
      ['b', 'org_1', 4_000],
      ['c', 'org_1', 6_000],
      ['behind', 'org_2', yearMs],
      ['kept', 'org_2', 7_000],
      ['only', 'org_3', yearMs],
      ['after-it', 'org_3', 1],
    ] as const)
      yield* sessions.insert({ ...unfinishedSession(id, createdAt), org_id })
    for (const id of ['ahead', 'only', 'after-it']) yield* sessions.remove(id)
  })
  const hourly = new CleanUp({ ...opened, rules })
  onTestFinished(() => hourly.stop())
  hourly.wake()
  const rows = db.prepare(
    'SELECT newest_created_at AS newest, max_created_lag_ms AS lag FROM orgs ORDER BY id',
  )
  await expect
    .poll(() => rows.all())
    .toEqual([
      { newest: 6_000, lag: 1_000 },
      { newest: yearMs, lag: yearMs - 7_000 },
      { newest: 0, lag: 0 },
    ])
})

test('the measurement of creation times includes sessions that are created while it runs', async () => {
  const { db, dependencies } = await openServer()
  const { store } = dependencies
  const add = (id: string, createdAt: number) => sessions.insert(unfinishedSession(id, createdAt))
  await store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    yield* add('ahead', 900_000)
    yield* add('first', 100_000)
    yield* sessions.remove('ahead')
  })
  const slowStore: typeof store = {
    ...store,
    async write(work) {
      await store.write(function* () {
        yield* add('second', 300_000)
        yield* add('third', 200_000)
      })
      return store.write(work)
    },
  }
  await measureCreatedLags(slowStore, () => false)
  expect(db.prepare('SELECT newest_created_at AS newest, max_created_lag_ms AS lag FROM orgs').all()).toEqual(
    [{ newest: 300_000, lag: 100_000 }],
  )
})

test('lets other requests run while it measures the creation times of many sessions', async () => {
  const { dependencies } = await openServer()
  const { store } = dependencies
  await store.write(function* () {
    yield* orgs.add('org_1', 'Lab')
    yield* sessions.insert(unfinishedSession('ahead', 900_000))
    for (let n = 0; n < 3_000; n += 1) yield* sessions.insert(unfinishedSession(`ses_${n}`, n))
  })
  let turns = 0
  const countTurn = () => {
    turns += 1
    next = setImmediate(countTurn)
  }
  let next = setImmediate(countTurn)
  await measureCreatedLags(store, () => false)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(3)
})
