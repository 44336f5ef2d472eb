import { afterEach, expect, test } from 'vitest'
import { removalsDue, remainingWork } from '../../../main/cli/remaining-work.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** What the last stage does not do, for all that its rules say. */

const SIZE = 8_000_001
const LARGE = 5 * 1024 ** 3
const DAY_MS = 86_400_000
const FAR = '/other-drive/archive'
const pathOf = (take: number) => `${FOLDER}/take-${take}.bin`
const key = (n: number) => `10000000-0000-4000-8000-00000000000${n}`

let model: ModelStation
afterEach(() => model.close())

const rule = (after_upload: object) => {
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ site: 'lab', settle_seconds: 1, path: FOLDER, after_upload }],
  })
}

const isProcessed = () => model.recordings().every(({ state }) => state === 'processed')
const left = () => model.drive.paths().filter((path) => path.startsWith(FOLDER))
const told = (kind: string) =>
  model.journal.activity
    .read({ groups: ['trouble'], fromMs: null, toMs: null, before: null, limit: 50 })
    .filter(({ activity }) => activity.kind === kind)

const recorded = async (takes: number, bytes = SIZE): Promise<void> => {
  model = new ModelStation()
  for (let take = 0; take < takes; take += 1) model.drive.write(pathOf(take), `content ${take}`, bytes)
  expect(await model.until(() => model.recordings().length === takes && isProcessed())).toBe(true)
}

/** What is read, and what is asked of the service, in order. */
const watched = (): string[] => {
  const seen: string[] = []
  const { hash } = model.drive.hashing
  Object.assign(model.drive.hashing, {
    hash: (request: Parameters<typeof hash>[0]) => {
      seen.push(`read ${request.path}`)
      return hash(request)
    },
  })
  model.service.fate = (call) => {
    seen.push(call)
    return { kind: 'answered' }
  }
  return seen
}

test('a file that leaves early and makes no room is the last that leaves early, and somebody can read why', async () => {
  await recorded(4)
  rule({ action: 'delete', days: 90, keep_free_bytes: 1e9 })
  model.drive.freeBytes = 5e8
  for (let look = 0; look < 5; look += 1) {
    await model.round()
    await model.pass(600_000)
  }
  model.restart()
  await model.round()
  expect(left()).toHaveLength(3)
  expect(told('no-room-made')).toHaveLength(1)
  // Its bytes came free after all: it was of use, and so will be the next.
  model.drive.freeBytes += SIZE
  model.hand.onRemove = () => {
    model.drive.freeBytes += SIZE
  }
  await model.round()
  expect(left()).toEqual([])
})

test('where nothing makes room, no more than one a day leaves before its days', async () => {
  await recorded(4)
  rule({ action: 'delete', days: 90, keep_free_bytes: 1e9 })
  model.drive.freeBytes = 5e8
  await model.round()
  for (let hour = 0; hour < 23; hour += 1) {
    await model.pass(3_600_000)
    await model.round()
  }
  expect(left()).toHaveLength(3)
  await model.pass(DAY_MS / 12)
  await model.round()
  expect(left()).toHaveLength(2)
})

test('a file that was set aside by a journal that is lost gets its name back, or one beside it, and is told', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/night/.sluice-removing-${key(7)}~take.mcap`, 'content', SIZE)
  model.drive.write(`${FOLDER}/night/.sluice-removing-${key(8)}~new.mcap`, 'old content', SIZE)
  model.drive.write(`${FOLDER}/night/new.mcap`, 'new content', SIZE)
  expect(await model.until(() => model.recordings().length === 3 && isProcessed())).toBe(true)
  expect(left().toSorted()).toEqual([
    `${FOLDER}/night/new (2).mcap`,
    `${FOLDER}/night/new.mcap`,
    `${FOLDER}/night/take.mcap`,
  ])
  expect(told('given-back')).toHaveLength(2)
})

test.each([
  ['is deleted', { action: 'delete', days: 0 }],
  ['is moved on its drive', { action: 'move', to: '/archive', days: 0 }],
  ['is moved to another drive', { action: 'move', to: FAR, days: 0 }],
])('what is written to a file while it %s is not lost, and nobody calls it safe', async (_, policy) => {
  await recorded(1)
  rule(policy)
  // By somebody who had it open before it was renamed, and has closed it before writers are looked for.
  model.hand.onSetAside = (aside) => {
    model.hand.onSetAside = () => {}
    model.drive.write(aside, 'written late', SIZE)
  }
  await model.round()
  expect(model.drive.contentOf(pathOf(0))).toBe('written late')
  expect(model.recordings().filter(({ removedAtMs }) => removedAtMs !== null)).toEqual([])
  expect(model.journal.removals.underWay()).toEqual([])
  rule({ action: 'keep' })
  expect(await model.until(() => model.recordings().length === 2 && isProcessed())).toBe(true)
  expect(model.drive.contentOf(pathOf(0))).toBe('written late')
})

test('of a large file the service is asked before it is read, and again when it has been', async () => {
  await recorded(1, LARGE)
  const seen = watched()
  rule({ action: 'delete', days: 0 })
  await model.round()
  expect(left()).toEqual([])
  expect(seen).toEqual(['retrieve', `read ${pathOf(0)}`, 'retrieve'])
})

test('nothing is read or copied that the service objects to', async () => {
  await recorded(1, LARGE)
  for (const session of model.service.sessions.values()) session.status = 'failed'
  const seen = watched()
  rule({ action: 'move', to: FAR, days: 0 })
  await model.round()
  expect(seen).toEqual(['retrieve'])
  expect(model.drive.paths()).toEqual([pathOf(0)])
})

test('large recordings that wait to be read come first, and a full drive before them', async () => {
  await recorded(2)
  const { hash } = model.drive.hashing
  const held = Promise.withResolvers<void>()
  const read: string[] = []
  Object.assign(model.drive.hashing, {
    hash: async (request: Parameters<typeof hash>[0]) => {
      read.push(request.path)
      if (request.identity.sizeBytes === LARGE) await held.promise
      return hash(request)
    },
  })
  for (const take of [8, 9]) model.drive.write(pathOf(take), `content ${take}`, LARGE)
  model.hint()
  await model.until(() => read.length > 0)
  // One is being read, the other waits.
  rule({ action: 'delete', days: 0 })
  for (let look = 0; look < 5; look += 1) {
    await model.pass(60_000)
    await model.round()
  }
  expect(read).toEqual([pathOf(8)])
  expect(left()).toHaveLength(4)
  rule({ action: 'delete', days: 90, keep_free_bytes: 1e13 })
  model.hand.onRemove = () => {
    model.drive.freeBytes += SIZE
  }
  await model.pass(60_000)
  await model.round()
  expect(left()).toHaveLength(2)
  held.resolve()
  expect(await model.until(() => read.includes(pathOf(9)))).toBe(true)
})

test('a move whose drive is away is not made onto the drive below it, and goes on when it is back', async () => {
  await recorded(2)
  const volumes: Record<string, { device: string; inode: string }> = {}
  Object.assign(model.drive.eyes, {
    volumeOf: async (path: string) => volumes[path] ?? { device: '1', inode: '1' },
  })
  volumes[FAR] = { device: '2', inode: '2' }
  rule({ action: 'move', to: FAR, days: 0 })
  model.hand.fate = (act) => (act === 'copy' && left().length === 1 ? 'refused' : 'done')
  await model.round()
  expect(left()).toHaveLength(1)
  model.hand.fate = () => 'done'
  volumes[FAR] = { device: '1', inode: '77' }
  await model.pass(DAY_MS)
  await model.round()
  expect(left()).toHaveLength(1)
  const [stays] = model.recordings().filter(({ removedAtMs }) => removedAtMs === null)
  expect(model.journal.removals.of(stays!.id)?.waits).toBe('target-replaced')
  volumes[FAR] = { device: '3', inode: '2' }
  await model.pass(600_000)
  await model.round()
  expect(left()).toEqual([])
})

test('another drive is taken once the folder has been chosen anew, and a drive over the folder that was first seen', async () => {
  await recorded(2)
  const volumes: Record<string, { device: string; inode: string }> = {}
  Object.assign(model.drive.eyes, {
    volumeOf: async (path: string) => volumes[path] ?? { device: '1', inode: '1' },
  })
  model.journal.station.setTargetVolume(FAR, { device: '1', inode: '77' })
  volumes[FAR] = { device: '2', inode: '2' }
  rule({ action: 'move', to: FAR, days: 0 })
  await model.round()
  expect(left()).toEqual([])
  expect(model.journal.station.targetVolume(FAR)).toEqual({ device: '2', inode: '2' })
  rule({ action: 'keep' })
  await model.round()
  expect(model.journal.station.targetVolume(FAR)).toBeNull()
})

test.each([
  ['another folder', { action: 'move', to: '/other-drive/new', days: 0 }, ['/other-drive/new/take-0.bin']],
  ['keep', { action: 'keep' }, [pathOf(0)]],
  ['delete', { action: 'delete', days: 0 }, []],
])('a copy that was placed under other rules goes when the rules are %s', async (_, policy, expected) => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  // The copy has its place; then the file cannot be taken from its folder.
  model.hand.fate = (act) => (act === 'set-aside' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${FAR}/take-0.bin`])
  model.hand.fate = () => 'done'
  rule(policy)
  model.journal.removals.lookAgain()
  await model.round()
  expect(model.drive.paths()).toEqual(expected)
})

test('a copy that a kill left half-way is removed once its drive is back, though the rules have changed', async () => {
  await recorded(1)
  let archive: { device: string; inode: string } | null = { device: '2', inode: '2' }
  Object.assign(model.drive.eyes, {
    volumeOf: async (path: string) => (path === FAR ? archive : { device: '1', inode: '1' }),
  })
  rule({ action: 'move', to: FAR, days: 0 })
  model.hand.fate = (act) => (act === 'copy' ? 'killed-within' : 'done')
  await model.round()
  const copies = () => model.drive.paths().filter((path) => path.startsWith(FAR))
  expect(copies()).toHaveLength(1)
  // The drive is away at the next start, and the rules name it no more.
  archive = null
  model.hand.fate = () => 'done'
  model.restart()
  rule({ action: 'delete', days: 0 })
  expect(await model.until(() => left().length === 0)).toBe(true)
  expect(copies()).toHaveLength(1)
  model.restart()
  // Another drive at its place has nothing of ours.
  archive = { device: '3', inode: '77' }
  await model.round()
  expect(copies()).toHaveLength(1)
  archive = { device: '9', inode: '2' }
  await model.round()
  expect(copies()).toEqual([])
  expect(model.journal.removals.copies.leftover()).toEqual([])
})

test('a copy that is to go under other rules waits for its drive', async () => {
  await recorded(1)
  let archive: { device: string; inode: string } | null = { device: '2', inode: '2' }
  Object.assign(model.drive.eyes, {
    volumeOf: async (path: string) => (path === FAR ? archive : { device: '1', inode: '1' }),
  })
  const { identify } = model.drive.files
  Object.assign(model.drive.files, {
    identify: async (path: string) =>
      archive === null && path.startsWith(FAR)
        ? { ok: false, failure: { kind: 'file-vanished' } }
        : identify(path),
  })
  rule({ action: 'move', to: FAR, days: 0 })
  model.hand.fate = (act) => (act === 'set-aside' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${FAR}/take-0.bin`])
  model.hand.fate = () => 'done'
  archive = null
  rule({ action: 'keep' })
  await model.round()
  archive = { device: '2', inode: '2' }
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
})

test('what somebody put at the place of such a copy stays', async () => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  model.hand.fate = (act) => (act === 'set-aside' ? 'refused' : 'done')
  await model.round()
  model.drive.write(`${FAR}/take-0.bin`, 'somebody’s own', SIZE)
  model.hand.fate = () => 'done'
  rule({ action: 'keep' })
  await model.round()
  expect(model.drive.contentOf(`${FAR}/take-0.bin`)).toBe('somebody’s own')
  expect(left()).toHaveLength(1)
})

test('a file that is edited after its copy was placed stays, however its times were set back', async () => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  model.hand.fate = (act) => (act === 'set-aside' ? 'refused' : 'done')
  await model.round()
  model.drive.editWithTimeSetBack(pathOf(0), 'edited')
  model.hint()
  model.hand.fate = () => 'done'
  await model.pass(1_000)
  await model.round()
  model.journal.removals.lookAgain()
  await model.round()
  expect(model.drive.contentOf(pathOf(0))).toBe('edited')
  expect(model.journal.removals.of(model.recordings()[0]!.id)?.waits).toBe('file-changed')
})

test('what is due now is counted as left to do; what waits, or has its days to wait for, is not', async () => {
  await recorded(2)
  const agent = () => ({
    journal: model.journal,
    station: model.station,
    settings: model.settings,
    nowMs: () => model.nowMs,
    watcherOf: () => model.watcher,
    looked: true,
  })
  const due = () => removalsDue(agent())
  rule({ action: 'delete', days: 3 })
  expect([due(), remainingWork(agent())]).toEqual([0, 'nothing'])
  rule({ action: 'delete', days: 0 })
  expect([due(), remainingWork(agent())]).toEqual([2, 'passing'])
  model.journal.station.pause(null)
  expect(due()).toBe(0)
  model.journal.station.resume()
  model.drive.inspection = { ...model.drive.inspection, writer: 'open' }
  await model.round()
  expect(due()).toBe(0)
})
