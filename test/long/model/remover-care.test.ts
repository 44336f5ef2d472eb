import { afterEach, expect, test } from 'vitest'
import { removalsDue } from '../../../main/cli/remaining-work.ts'
import {
  ARCHIVE,
  DAY_MS,
  isProcessed,
  openProcessedStation,
  pathOf,
  pathsInFolder,
  SIZE,
  setRule,
} from '../../support/model/removal-station.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Cases in which the remover must not remove a file, although the rules allow it. */

const LARGE = 5 * 1024 ** 3
const key = (n: number) => `10000000-0000-4000-8000-00000000000${n}`

let model: ModelStation
afterEach(() => model.close())

const activityOf = (kind: string) =>
  model.journal.activity
    .read({ groups: ['trouble'], fromMs: null, toMs: null, before: null, limit: 50 })
    .filter(({ activity }) => activity.kind === kind)

/** Collects file reads and service calls, in order. */
const recordCalls = (): string[] => {
  const calls: string[] = []
  const { hash } = model.drive.hashing
  Object.assign(model.drive.hashing, {
    hash: (request: Parameters<typeof hash>[0]) => {
      calls.push(`read ${request.path}`)
      return hash(request)
    },
  })
  model.service.fate = (call) => {
    calls.push(call)
    return { kind: 'answered' }
  }
  return calls
}

test('stops early removals after one that frees no space, and shows why', async () => {
  model = await openProcessedStation(4)
  setRule(model, { action: 'delete', days: 90, keep_free_bytes: 1e9 })
  model.drive.freeBytes = 5e8
  for (let steps = 0; steps < 5; steps += 1) {
    await model.round()
    await model.pass(600_000)
  }
  model.restart()
  await model.round()
  expect(pathsInFolder(model)).toHaveLength(3)
  expect(activityOf('no-space-freed')).toHaveLength(1)
  // The space became free later, so early removals continue.
  model.drive.freeBytes += SIZE
  model.fileOperations.onRemove = () => {
    model.drive.freeBytes += SIZE
  }
  await model.round()
  expect(pathsInFolder(model)).toEqual([])
})

test('if early removals free no space, the remover makes at most one of them per day', async () => {
  model = await openProcessedStation(4)
  setRule(model, { action: 'delete', days: 90, keep_free_bytes: 1e9 })
  model.drive.freeBytes = 5e8
  await model.round()
  for (let hour = 0; hour < 23; hour += 1) {
    await model.pass(3_600_000)
    await model.round()
  }
  expect(pathsInFolder(model)).toHaveLength(3)
  await model.pass(DAY_MS / 12)
  await model.round()
  expect(pathsInFolder(model)).toHaveLength(2)
})

test('after the journal is lost, a file with a hidden name gets its original name back, or a free one, and Sluice reports it', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/night/.sluice-removing-${key(7)}~take.mcap`, 'content', SIZE)
  model.drive.write(`${FOLDER}/night/.sluice-removing-${key(8)}~new.mcap`, 'old content', SIZE)
  model.drive.write(`${FOLDER}/night/new.mcap`, 'new content', SIZE)
  expect(await model.until(() => model.recordings().length === 3 && isProcessed(model))).toBe(true)
  expect(pathsInFolder(model).toSorted()).toEqual([
    `${FOLDER}/night/new (2).mcap`,
    `${FOLDER}/night/new.mcap`,
    `${FOLDER}/night/take.mcap`,
  ])
  expect(activityOf('names-restored').map(({ activity }) => activity)).toMatchObject([{ count: 2 }])
})

test('a file whose name a scan restores during its removal is not recorded as deleted', async () => {
  model = await openProcessedStation(1)
  const { id } = model.firstRecording()
  setRule(model, { action: 'delete', days: 0 })
  const restoredPath = `${FOLDER}/renamed/take.mcap`
  model.service.fate = () => {
    const hidden = model.drive.paths().find((path) => path.includes('.sluice-removing-'))
    if (hidden !== undefined) {
      model.drive.rename(hidden, restoredPath)
      model.journal.removals.settle(id)
    }
    return { kind: 'answered' }
  }
  await model.round()
  expect(model.drive.contentOf(restoredPath)).not.toBeNull()
  expect(model.journal.removals.of(id)).toMatchObject({ step: null })
  expect(model.journal.recordings.byId(id)?.removedAtMs).toBeNull()
})

test('keeps a file if a program opens it under its hidden name while the service answers', async () => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'delete', days: 0 })
  model.service.fate = () => {
    if (model.drive.paths().some((path) => path.includes('.sluice-removing-')))
      model.drive.inspection = { ...model.drive.inspection, writer: 'open' }
    return { kind: 'answered' }
  }
  await model.round()
  expect(model.drive.contentOf(pathOf(0))).not.toBeNull()
  expect(model.firstRecording()).toMatchObject({ removedAtMs: null })
  expect(model.journal.removals.of(model.firstRecording().id)).toMatchObject({
    step: null,
    waits: 'file-open',
  })
})

test('a file that a user moves during its removal gets its name back and is not recorded as deleted', async () => {
  model = await openProcessedStation(1)
  const { id, name } = model.firstRecording()
  setRule(model, { action: 'delete', days: 0 })
  model.service.fate = () => {
    const hidden = pathsInFolder(model).find((path) => path.startsWith(`${FOLDER}/.sluice-removing-`))
    if (hidden !== undefined) model.drive.rename(hidden, hidden.replace(`${FOLDER}/`, `${FOLDER}/renamed/`))
    return { kind: 'answered' }
  }
  await model.round()
  expect(model.journal.recordings.byId(id)?.removedAtMs).toBeNull()
  setRule(model, { action: 'keep' })
  model.hint()
  await model.until(() => pathsInFolder(model).includes(`${FOLDER}/renamed/${name}`))
  expect(pathsInFolder(model)).toEqual([`${FOLDER}/renamed/${name}`])
})

test.each([
  ['is deleted', { action: 'delete', days: 0 }],
  ['is moved on its drive', { action: 'move', to: '/archive', days: 0 }],
  ['is moved to a different drive', { action: 'move', to: ARCHIVE, days: 0 }],
])('a write to a file while it %s is not lost, and the file is not marked as removed', async (_, policy) => {
  model = await openProcessedStation(1)
  setRule(model, policy)
  // The writer opened the file before the rename and closes it before the check for writers.
  model.fileOperations.onHide = (hidden) => {
    model.fileOperations.onHide = () => {}
    model.drive.write(hidden, 'written late', SIZE)
  }
  await model.round()
  expect(model.drive.contentOf(pathOf(0))).toBe('written late')
  expect(model.recordings().filter(({ removedAtMs }) => removedAtMs !== null)).toEqual([])
  expect(model.journal.removals.underWay()).toEqual([])
  setRule(model, { action: 'keep' })
  expect(await model.until(() => model.recordings().length === 2 && isProcessed(model))).toBe(true)
  expect(model.drive.contentOf(pathOf(0))).toBe('written late')
})

test.each([
  ['is deleted', { action: 'delete', days: 0 }],
  ['is moved on its drive', { action: 'move', to: '/archive', days: 0 }],
  ['is moved to a different drive', { action: 'move', to: ARCHIVE, days: 0 }],
])(
  'keeps an edit made right before a file %s, even if the editor restored the modification time of the file',
  async (_, policy) => {
    model = await openProcessedStation(1)
    setRule(model, policy)
    model.fileOperations.beforeRename = (path) => {
      model.fileOperations.beforeRename = () => {}
      model.drive.editRestoringMtime(path, 'edited')
    }
    await model.round()
    expect(model.drive.contentOf(pathOf(0))).toBe('edited')
    expect(model.firstRecording()).toMatchObject({ removedAtMs: null })
    expect(model.journal.removals.of(model.firstRecording().id)).toMatchObject({
      step: null,
      waits: 'file-changed',
    })
    setRule(model, { action: 'keep' })
    expect(await model.until(() => model.recordings().length === 2 && isProcessed(model))).toBe(true)
    expect(model.drive.contentOf(pathOf(0))).toBe('edited')
  },
)

test.each([
  ['is deleted', { action: 'delete', days: 0 }],
  ['is moved on its drive', { action: 'move', to: '/archive', days: 0 }],
  ['is moved to a different drive', { action: 'move', to: ARCHIVE, days: 0 }],
])(
  'an edit that kept size and times is found before the file %s, and becomes a new recording with its own session',
  async (_, policy) => {
    model = await openProcessedStation(1)
    const original = model.firstRecording()
    model.drive.editKeepingTimes(pathOf(0), 'edited')
    // Without the removal rule, Sluice does not read the file again and cannot notice the edit.
    await model.until(() => false, 5)
    expect(model.recordings()).toHaveLength(1)
    setRule(model, policy)
    await model.round()
    expect(model.journal.recordings.byId(original.id)).toMatchObject({ current: false, removedAtMs: null })
    expect(model.drive.paths()).toEqual([pathOf(0)])
    setRule(model, { action: 'keep' })
    expect(await model.until(() => model.recordings().length === 2 && isProcessed(model))).toBe(true)
    const edited = model.recordingAt(pathOf(0))
    expect(edited.sessionId).not.toBe(original.sessionId)
    expect([...model.service.sessions.keys()].toSorted()).toEqual(
      [original.sessionId, edited.sessionId].toSorted(),
    )
    // The new content is safe, so the rule applies to it. Nothing is uploaded again.
    setRule(model, policy)
    expect(await model.until(() => model.recordingAt(pathOf(0)).removedAtMs !== null)).toBe(true)
    expect(model.service.sessions.size).toBe(2)
  },
)

test('a read error that looks like an edit causes no second upload', async () => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'delete', days: 0 })
  model.drive.editKeepingTimes(pathOf(0), 'misread')
  await model.round()
  expect(model.firstRecording().current).toBe(false)
  setRule(model, { action: 'keep' })
  model.drive.editKeepingTimes(pathOf(0), 'content 0')
  expect(await model.until(() => model.recordings().length === 2 && isProcessed(model))).toBe(true)
  expect(model.service.sessions.size).toBe(1)
})

test.each<[string, (sessionId: string) => void]>([
  ['a user deletes its session', (sessionId) => void model.service.sessions.delete(sessionId)],
  ['a command is deleting its session', (sessionId) => model.journal.deletions.intend(sessionId)],
])('a file stays if %s while the file has its hidden name', async (_, act) => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'delete', days: 0 })
  model.fileOperations.onHide = () => {
    model.fileOperations.onHide = () => {}
    act(model.firstRecording().sessionId ?? '')
  }
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
  expect(model.firstRecording()).toMatchObject({ removedAtMs: null })
})

test('polls the session before and after each read of a large file', async () => {
  model = await openProcessedStation(1, LARGE)
  const calls = recordCalls()
  setRule(model, { action: 'delete', days: 0 })
  await model.round()
  expect(pathsInFolder(model)).toEqual([])
  expect(calls).toEqual([
    'retrieve',
    `read ${pathOf(0)}`,
    'retrieve',
    expect.stringMatching(/^read .*sluice-removing-/),
    'retrieve',
  ])
})

test('neither reads nor copies a file whose session is not processed', async () => {
  model = await openProcessedStation(1, LARGE)
  for (const session of model.service.sessions.values()) session.status = 'failed'
  const calls = recordCalls()
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  await model.round()
  expect(calls).toEqual(['retrieve'])
  expect(model.drive.paths()).toEqual([pathOf(0)])
})

/** A station with two processed files, where the hasher reads one large file and another one waits for its first hash. */
const openBusyStation = async () => {
  model = await openProcessedStation(2)
  const { hash } = model.drive.hashing
  const gate = Promise.withResolvers<void>()
  const readPaths: string[] = []
  Object.assign(model.drive.hashing, {
    hash: async (request: Parameters<typeof hash>[0]) => {
      readPaths.push(request.path)
      if (request.identity.sizeBytes === LARGE) await gate.promise
      return hash(request)
    },
  })
  for (const take of [8, 9]) model.drive.write(pathOf(take), `content ${take}`, LARGE)
  model.hint()
  await model.until(() => readPaths.length > 0)
  return { gate, readPaths }
}

test('removals wait while a large recording waits for its first hash, unless free space is low', async () => {
  const { gate, readPaths } = await openBusyStation()
  setRule(model, { action: 'delete', days: 0 })
  for (let steps = 0; steps < 5; steps += 1) {
    await model.pass(60_000)
    await model.round()
  }
  expect(readPaths).toEqual([pathOf(8)])
  expect(pathsInFolder(model)).toHaveLength(4)
  setRule(model, { action: 'delete', days: 90, keep_free_bytes: 1e13 })
  model.fileOperations.onRemove = () => {
    model.drive.freeBytes += SIZE
  }
  await model.pass(60_000)
  await model.round()
  expect(pathsInFolder(model)).toHaveLength(2)
  gate.resolve()
  expect(await model.until(() => readPaths.includes(pathOf(9)))).toBe(true)
})

test('after six hours, removals no longer wait for large recordings', async () => {
  const { gate } = await openBusyStation()
  setRule(model, { action: 'delete', days: 0 })
  for (let hours = 0; hours < 7; hours += 1) {
    await model.pass(3_600_000)
    await model.round()
  }
  expect(pathsInFolder(model)).toEqual([pathOf(8), pathOf(9)])
  gate.resolve()
})

test('the remaining work includes only files whose removal is due now', async () => {
  model = await openProcessedStation(2)
  const agent = () => ({
    journal: model.journal,
    station: model.station,
    settings: model.settings,
    nowMs: () => model.nowMs,
    watcherOf: () => model.watcher,
  })
  const countDue = () => removalsDue(agent())
  setRule(model, { action: 'delete', days: 3 })
  expect([countDue(), model.remainingWork()]).toEqual([0, 'nothing'])
  setRule(model, { action: 'delete', days: 0 })
  expect([countDue(), model.remainingWork()]).toEqual([2, 'temporary'])
  model.journal.station.pause(null)
  expect(countDue()).toBe(0)
  model.journal.station.resume()
  model.drive.inspection = { ...model.drive.inspection, writer: 'open' }
  await model.round()
  expect(countDue()).toBe(0)
})

test('if Sluice is killed right before a deletion and the folder is then replaced, the file is not recorded as deleted', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/night/take.bin`, 'content', SIZE)
  expect(await model.until(() => model.recordings().length === 1 && isProcessed(model))).toBe(true)
  setRule(model, { action: 'delete', days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'remove' ? 'killed-before' : 'done')
  await model.round()
  const { id } = model.firstRecording()
  expect(model.journal.removals.of(id)).toMatchObject({ step: 'aside', asideFolder: '1' })
  const hidden = pathsInFolder(model)[0] ?? ''
  model.drive.rename(hidden, hidden.replace(FOLDER, '/elsewhere'))
  const { volumeOf } = model.drive.folderAccess
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) =>
      path.endsWith('/night') ? { device: '1', inode: '9' } : volumeOf(path),
  })
  model.fileOperations.fate = () => 'done'
  model.restart()
  await model.round()
  expect(model.journal.recordings.byId(id)?.removedAtMs).toBeNull()
  expect(model.journal.removals.underWay()).toEqual([])
})

test('a hidden file that cannot be read does not stop the other removals, and Sluice reports it', async () => {
  model = await openProcessedStation(3)
  setRule(model, { action: 'delete', days: 0 })
  let stuck: string | null = null
  model.fileOperations.onHide = (hidden) => {
    stuck ??= hidden
  }
  model.drive.fate = (call, path) =>
    path === stuck && call !== 'hash' ? { kind: 'file-busy', detail: 'simulated' } : null
  await model.round()
  expect(pathsInFolder(model)).toEqual([stuck])
  for (let minute = 0; minute < 5; minute += 1) {
    await model.pass(60_000)
    await model.round()
  }
  expect(activityOf('not-removed').map(({ activity }) => activity)).toMatchObject([{ wait: 'name-hidden' }])
  // The file can be read again.
  model.drive.fate = () => null
  await model.pass(3_600_000)
  await model.round()
  await model.pass(3_600_000)
  await model.round()
  expect(pathsInFolder(model)).toEqual([])
  expect(model.recordings().every(({ removedAtMs }) => removedAtMs !== null)).toBe(true)
})
