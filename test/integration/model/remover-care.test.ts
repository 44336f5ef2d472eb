import { afterEach, expect, test } from 'vitest'
import { remainingWork, removalsDue } from '../../../main/cli/remaining-work.ts'
import { isRemovalName } from '../../../shared/paths/system-names.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Cases in which the remover must not remove a file, although the rules allow it. */

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
const activityOf = (kind: string) =>
  model.journal.activity
    .read({ groups: ['trouble'], fromMs: null, toMs: null, before: null, limit: 50 })
    .filter(({ activity }) => activity.kind === kind)

const recorded = async (takes: number, bytes = SIZE): Promise<void> => {
  model = new ModelStation()
  for (let take = 0; take < takes; take += 1) model.drive.write(pathOf(take), `content ${take}`, bytes)
  expect(await model.until(() => model.recordings().length === takes && isProcessed())).toBe(true)
}

/** Collects file reads and service calls, in order. */
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

test('stops early removals after one that frees no space, and shows why', async () => {
  await recorded(4)
  rule({ action: 'delete', days: 90, keep_free_bytes: 1e9 })
  model.drive.freeBytes = 5e8
  for (let steps = 0; steps < 5; steps += 1) {
    await model.round()
    await model.pass(600_000)
  }
  model.restart()
  await model.round()
  expect(left()).toHaveLength(3)
  expect(activityOf('no-space-freed')).toHaveLength(1)
  // The space became free later, so early removals continue.
  model.drive.freeBytes += SIZE
  model.fileOperations.onRemove = () => {
    model.drive.freeBytes += SIZE
  }
  await model.round()
  expect(left()).toEqual([])
})

test('removes at most one file a day early if removals free no space', async () => {
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

test('a file that a lost journal had renamed for removal gets its name or a free one back, and is reported', async () => {
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
  expect(activityOf('names-restored').map(({ activity }) => activity)).toMatchObject([{ count: 2 }])
})

test.each([
  ['is deleted', { action: 'delete', days: 0 }],
  ['is moved on its drive', { action: 'move', to: '/archive', days: 0 }],
  ['is moved to a different drive', { action: 'move', to: FAR, days: 0 }],
])('a write to a file while it %s is not lost, and the file is not reported as safe', async (_, policy) => {
  await recorded(1)
  rule(policy)
  // The writer opened the file before the rename and closes it before the check for writers.
  model.fileOperations.onHide = (aside) => {
    model.fileOperations.onHide = () => {}
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

test.each([
  ['is deleted', { action: 'delete', days: 0 }],
  ['is moved on its drive', { action: 'move', to: '/archive', days: 0 }],
  ['is moved to a different drive', { action: 'move', to: FAR, days: 0 }],
])(
  'keeps an edit from the moment before a file %s, even if the editor set back its modification time',
  async (_, policy) => {
    await recorded(1)
    rule(policy)
    model.fileOperations.beforeRename = (path) => {
      model.fileOperations.beforeRename = () => {}
      model.drive.editWithTimeSetBack(path, 'edited')
    }
    await model.round()
    expect(model.drive.contentOf(pathOf(0))).toBe('edited')
    expect(model.single()).toMatchObject({ removedAtMs: null })
    expect(model.journal.removals.of(model.single().id)).toMatchObject({ step: null, waits: 'file-changed' })
    await model.until(() => false, 20)
    expect(model.drive.contentOf(pathOf(0))).toBe('edited')
  },
)

test.each<[string, (sessionId: string) => void]>([
  ['a user deletes its session', (sessionId) => void model.service.sessions.delete(sessionId)],
  ['a command is deleting its session', (sessionId) => model.journal.deletions.intend(sessionId)],
])('a file stays if %s while it has its hidden name', async (_, happens) => {
  await recorded(1)
  rule({ action: 'delete', days: 0 })
  model.fileOperations.onHide = () => {
    model.fileOperations.onHide = () => {}
    happens(model.single().sessionId ?? '')
  }
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
  expect(model.single()).toMatchObject({ removedAtMs: null })
})

test('reads the session before and after reading a large file', async () => {
  await recorded(1, LARGE)
  const seen = watched()
  rule({ action: 'delete', days: 0 })
  await model.round()
  expect(left()).toEqual([])
  expect(seen).toEqual([
    'retrieve',
    `read ${pathOf(0)}`,
    'retrieve',
    expect.stringMatching(/^read .*sluice-removing-/),
    'retrieve',
  ])
})

test('reads and copies no file that the service does not confirm', async () => {
  await recorded(1, LARGE)
  for (const session of model.service.sessions.values()) session.status = 'failed'
  const seen = watched()
  rule({ action: 'move', to: FAR, days: 0 })
  await model.round()
  expect(seen).toEqual(['retrieve'])
  expect(model.drive.paths()).toEqual([pathOf(0)])
})

test('a full drive comes first, then large recordings', async () => {
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
  // The remover reads one file, and the other waits.
  rule({ action: 'delete', days: 0 })
  for (let steps = 0; steps < 5; steps += 1) {
    await model.pass(60_000)
    await model.round()
  }
  expect(read).toEqual([pathOf(8)])
  expect(left()).toHaveLength(4)
  rule({ action: 'delete', days: 90, keep_free_bytes: 1e13 })
  model.fileOperations.onRemove = () => {
    model.drive.freeBytes += SIZE
  }
  await model.pass(60_000)
  await model.round()
  expect(left()).toHaveLength(2)
  held.resolve()
  expect(await model.until(() => read.includes(pathOf(9)))).toBe(true)
})

test('a move waits for its offline drive and never writes to the mount point below', async () => {
  await recorded(2)
  const volumes: Record<string, { device: string; inode: string }> = {}
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => volumes[path] ?? { device: '1', inode: '1' },
  })
  volumes[FAR] = { device: '2', inode: '2' }
  rule({ action: 'move', to: FAR, days: 0 })
  model.fileOperations.fate = (act) => (act === 'copy' && left().length === 1 ? 'refused' : 'done')
  await model.round()
  expect(left()).toHaveLength(1)
  model.fileOperations.fate = () => 'done'
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

test('writes nothing to a second archive drive that has the device number of the first', async () => {
  await recorded(1)
  let archive = { device: '2', inode: '2:1700000000000000001' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === FAR ? archive : { device: '1', inode: '1' }),
  })
  rule({ action: 'move', to: FAR, days: 1 })
  model.journal.station.setTargetVolume(FAR, archive)
  archive = { device: '2', inode: '2:1700000000000000002' }
  await model.pass(2 * DAY_MS)
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
  expect(model.journal.removals.of(model.single().id)?.waits).toBe('target-replaced')
  archive = { device: '5', inode: '2:1700000000000000001' }
  await model.pass(600_000)
  await model.round()
  expect(model.drive.paths()).toEqual([`${FAR}/take-0.bin`])
})

test('accepts a new target drive after the user chooses the folder again, or one mounted over it', async () => {
  await recorded(2)
  const volumes: Record<string, { device: string; inode: string }> = {}
  Object.assign(model.drive.folderAccess, {
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
])('removes a copy made under old rules after the rules change to %s', async (_, policy, expected) => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  // The copy is in place, but the original cannot be removed.
  model.fileOperations.fate = (act) => (act === 'hide' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${FAR}/take-0.bin`])
  model.fileOperations.fate = () => 'done'
  rule(policy)
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.drive.paths()).toEqual(expected)
})

test('removes a partial copy after a crash once its drive is back, even if the rules have changed', async () => {
  await recorded(1)
  let archive: { device: string; inode: string } | null = { device: '2', inode: '2' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === FAR ? archive : { device: '1', inode: '1' }),
  })
  rule({ action: 'move', to: FAR, days: 0 })
  model.fileOperations.fate = (act) => (act === 'copy' ? 'killed-within' : 'done')
  await model.round()
  const copies = () => model.drive.paths().filter((path) => path.startsWith(FAR))
  expect(copies()).toHaveLength(1)
  // At the next start the drive is offline and no longer in the rules.
  archive = null
  model.fileOperations.fate = () => 'done'
  model.restart()
  rule({ action: 'delete', days: 0 })
  expect(await model.until(() => left().length === 0)).toBe(true)
  expect(copies()).toHaveLength(1)
  model.restart()
  // The remover must not touch a different drive at the same path.
  archive = { device: '3', inode: '77' }
  await model.round()
  expect(copies()).toHaveLength(1)
  archive = { device: '9', inode: '2' }
  await model.round()
  expect(copies()).toEqual([])
  expect(model.journal.removals.copies.leftover()).toEqual([])
})

test('a copy made under old rules waits for its drive', async () => {
  await recorded(1)
  let archive: { device: string; inode: string } | null = { device: '2', inode: '2' }
  Object.assign(model.drive.folderAccess, {
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
  model.fileOperations.fate = (act) => (act === 'hide' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${FAR}/take-0.bin`])
  model.fileOperations.fate = () => 'done'
  archive = null
  rule({ action: 'keep' })
  await model.round()
  archive = { device: '2', inode: '2' }
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
})

test('keeps a user’s file at the path of a copy made under old rules', async () => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  model.fileOperations.fate = (act) => (act === 'hide' ? 'refused' : 'done')
  await model.round()
  model.drive.write(`${FAR}/take-0.bin`, 'a user’s own', SIZE)
  model.fileOperations.fate = () => 'done'
  rule({ action: 'keep' })
  await model.round()
  expect(model.drive.contentOf(`${FAR}/take-0.bin`)).toBe('a user’s own')
  expect(left()).toHaveLength(1)
})

test('keeps a file edited after its copy was made, even with its old times', async () => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  model.fileOperations.fate = (act) => (act === 'hide' ? 'refused' : 'done')
  await model.round()
  model.drive.editWithTimeSetBack(pathOf(0), 'edited')
  model.hint()
  model.fileOperations.fate = () => 'done'
  await model.pass(1_000)
  await model.round()
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.drive.contentOf(pathOf(0))).toBe('edited')
  expect(model.journal.removals.of(model.recordings()[0]!.id)?.waits).toBe('file-changed')
})

test('moves a file as a copy if the drive allows no rename between two folders', async () => {
  await recorded(2)
  rule({ action: 'move', to: '/archive', days: 0 })
  // A file renamed out of its folder cannot be linked into the archive.
  const place = model.fileOperations.operations.place
  Object.assign(model.fileOperations.operations, {
    place: async (...[from, to, identity]: Parameters<typeof place>) =>
      from.startsWith(FOLDER) && !to.startsWith(FOLDER) ? { kind: 'other-drive' } : place(from, to, identity),
  })
  await model.round()
  expect(model.drive.paths()).toEqual(['/archive/take-0.bin', '/archive/take-1.bin'])
  expect(model.recordings().map(({ movedTo }) => movedTo)).toEqual(model.drive.paths())
  expect(model.journal.removals.underWay()).toEqual([])
})

test('removes a half-written copy at the next start, even if the drive of its file is offline', async () => {
  await recorded(1)
  let isOffline = false
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (isOffline && path === FOLDER ? null : { device: '1', inode: '1' }),
  })
  rule({ action: 'move', to: FAR, days: 0 })
  model.fileOperations.fate = (act) => (act === 'copy' ? 'killed-within' : 'done')
  await model.round()
  const copies = () => model.drive.paths().filter((path) => path.startsWith(FAR))
  expect(copies()).toHaveLength(1)
  isOffline = true
  model.fileOperations.fate = () => 'done'
  model.restart()
  await model.round()
  expect(copies()).toEqual([])
})

test('a half-written copy never gets its final name, even if an earlier copy had it', async () => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  model.fileOperations.fate = (act) => (act === 'hide' ? 'refused' : 'done')
  await model.round()
  const target = `${FAR}/take-0.bin`
  expect(model.drive.contentOf(target)).toBe('content 0')
  // A user deletes the copy. The next one is interrupted.
  model.drive.remove(target)
  model.fileOperations.fate = (act) => (act === 'copy' ? 'killed-within' : 'done')
  model.journal.removals.retryHeld()
  await model.round()
  const copies = () => model.drive.paths().filter((path) => path.startsWith(FAR))
  expect(copies()).toHaveLength(1)
  model.fileOperations.fate = () => 'done'
  model.restart()
  model.journal.station.pause(null)
  await model.round()
  expect(copies()).toEqual([])
  model.journal.station.resume()
  model.journal.removals.retryHeld()
  expect(await model.until(() => left().length === 0, 20)).toBe(true)
  expect(copies()).toEqual([target])
  expect(model.drive.contentOf(target)).toBe('content 0')
})

/** The copy is in place, the file cannot be removed, and then the rules keep it. */
const copiedThenKept = async (): Promise<void> => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  model.fileOperations.fate = (act) => (act === 'hide' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${FAR}/take-0.bin`])
  model.fileOperations.fate = () => 'done'
  rule({ action: 'keep' })
}

test('keeps a write to a copy that is being removed, even if the copy cannot be put back at once', async () => {
  await copiedThenKept()
  model.fileOperations.onHide = (aside) => {
    model.fileOperations.onHide = () => {}
    model.drive.write(aside, 'written late', SIZE)
  }
  let refusals = 1
  model.fileOperations.fate = (act) => (act === 'place' && refusals-- > 0 ? 'refused' : 'done')
  await model.round()
  await model.round()
  expect(model.drive.contentOf(`${FAR}/take-0.bin`)).toBe('written late')
  expect(model.drive.contentOf(pathOf(0))).toBe('content 0')
})

test('removes a copy made under old rules once it can be read again, and does not read it every minute', async () => {
  await copiedThenKept()
  let reads = 0
  let isBusy = true
  model.drive.fate = (what, path) => {
    if (what !== 'hash' || !path.startsWith(FAR)) return null
    reads += 1
    return isBusy ? { kind: 'file-busy', detail: 'played' } : null
  }
  for (let steps = 0; steps < 5; steps += 1) {
    await model.round()
    await model.pass(60_000)
  }
  expect(model.drive.paths()).toEqual([pathOf(0), `${FAR}/take-0.bin`])
  expect(reads).toBe(1)
  isBusy = false
  await model.pass(3_600_000)
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
})

test('keeps a copy that was being removed if its file was replaced before the next start', async () => {
  await copiedThenKept()
  model.fileOperations.fate = (act) => (act === 'hide' ? 'killed-after' : 'done')
  await model.round()
  model.fileOperations.fate = () => 'done'
  model.drive.drop(pathOf(0))
  model.drive.write(pathOf(0), 'a new recording', SIZE)
  model.restart()
  await model.round()
  expect(model.drive.contentOf(`${FAR}/take-0.bin`)).toBe('content 0')
})

test('keeps a copy whose file is replaced while the copy is read before its removal', async () => {
  await copiedThenKept()
  const { hash } = model.drive.hashing
  Object.assign(model.drive.hashing, {
    hash: async (request: Parameters<typeof hash>[0]) => {
      const hashed = await hash(request)
      if (request.path.startsWith(FAR) && isRemovalName(request.path.slice(FAR.length + 1))) {
        model.drive.drop(pathOf(0))
        model.drive.write(pathOf(0), 'a new recording', SIZE)
      }
      return hashed
    },
  })
  await model.round()
  expect(model.drive.contentOf(pathOf(0))).toBe('a new recording')
  expect(model.drive.contentOf(`${FAR}/take-0.bin`)).toBe('content 0')
})

test('a copy gets its name back after a crash, even if the drive of its file is missing', async () => {
  await copiedThenKept()
  model.fileOperations.fate = (act) => (act === 'hide' ? 'killed-after' : 'done')
  await model.round()
  model.fileOperations.fate = () => 'done'
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === FOLDER ? null : { device: '1', inode: '1' }),
  })
  model.restart()
  await model.round()
  expect(model.drive.contentOf(`${FAR}/take-0.bin`)).toBe('content 0')
})

test('a copy interrupted by a large file is finished, and made only once', async () => {
  await recorded(1)
  const { hash } = model.drive.hashing
  const held = Promise.withResolvers<void>()
  let isRead = false
  Object.assign(model.drive.hashing, {
    hash: async (request: Parameters<typeof hash>[0]) => {
      isRead ||= request.identity.sizeBytes === LARGE
      if (request.identity.sizeBytes === LARGE) await held.promise
      return hash(request)
    },
  })
  for (const take of [8, 9]) model.drive.write(pathOf(take), `content ${take}`, LARGE)
  model.hint()
  const waiting = () => model.recordings().find(({ state }) => state === 'queued')
  // The remover reads one file. The other begins to wait for its first hash during the copy.
  await model.until(() => isRead && waiting() !== undefined)
  const { id } = waiting()!
  model.journal.recordings.patch(id, { nextAttemptAtMs: model.nowMs + DAY_MS })
  let copies = 0
  model.fileOperations.fate = (act) => {
    if (act === 'copy') {
      copies += 1
      model.journal.recordings.patch(id, { nextAttemptAtMs: 0 })
    }
    return 'done'
  }
  rule({ action: 'move', to: FAR, days: 0 })
  for (let steps = 0; steps < 5; steps += 1) {
    await model.round()
    await model.pass(60_000)
  }
  expect(copies).toBe(1)
  expect(model.drive.contentOf(pathOf(0))).toBe('content 0')
  held.resolve()
  expect(await model.until(() => !left().includes(pathOf(0)))).toBe(true)
  expect(model.drive.contentOf(`${FAR}/take-0.bin`)).toBe('content 0')
})

test.each([
  ['while it cannot be read', 'hash'],
  ['while its drive does not answer', 'identify'],
] as const)('a finished copy gets no second one beside it %s', async (_, touched) => {
  await recorded(1)
  rule({ action: 'move', to: FAR, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${FAR}/take-0.bin`])
  model.fileOperations.fate = () => 'done'
  let isBusy = true
  model.drive.fate = (what, path) =>
    isBusy && what === touched && path.startsWith(FAR) ? { kind: 'file-busy', detail: 'played' } : null
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${FAR}/take-0.bin`])
  expect(model.journal.removals.of(model.single().id)?.waits).toBe('target-refused')
  isBusy = false
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.drive.paths()).toEqual([`${FAR}/take-0.bin`])
})

test('counts only files that are due now as remaining, not those that wait or are too recent', async () => {
  await recorded(2)
  const agent = () => ({
    journal: model.journal,
    station: model.station,
    settings: model.settings,
    nowMs: () => model.nowMs,
    watcherOf: () => model.watcher,
    scanned: true,
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

test('writes nothing to an archive that became a link to a different drive', async () => {
  await recorded(1)
  const elsewhere = { device: '2', inode: '2' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === FAR ? elsewhere : { device: '1', inode: '1' }),
  })
  Object.assign(model.fileOperations.operations, {
    realFolder: async (folder: string) => (folder === FAR ? '/other-drive/elsewhere' : folder),
  })
  model.journal.station.setTargetVolume(FAR, { device: '1', inode: '77' })
  rule({ action: 'move', to: FAR, days: 0 })
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
  expect(model.journal.removals.of(model.single().id)?.waits).toBe('target-replaced')
})
