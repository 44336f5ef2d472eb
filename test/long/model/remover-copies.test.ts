import { afterEach, expect, test } from 'vitest'
import {
  ARCHIVE,
  DAY_MS,
  openProcessedStation,
  pathOf,
  pathsInFolder,
  SIZE,
  setRule,
} from '../../support/model/removal-station.ts'
import { FOLDER, type ModelStation } from '../../support/model/station.ts'

/** The copies that a move to a different drive makes. */

const LARGE = 5 * 1024 ** 3

let model: ModelStation
afterEach(() => model.close())

test('keeps a file that was edited after its copy was made, even if the editor restored the modification time', async () => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'refused' : 'done')
  await model.round()
  model.drive.editRestoringMtime(pathOf(0), 'edited')
  model.hint()
  model.fileOperations.fate = () => 'done'
  await model.pass(1_000)
  await model.round()
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.drive.contentOf(pathOf(0))).toBe('edited')
  expect(model.journal.recordings.byId(1)).toMatchObject({ current: false, removedAtMs: null })
  expect(model.journal.removals.of(1)?.waits).toBe('file-changed')
})

test('moves a file by copying it if the drive allows no rename between the two folders', async () => {
  model = await openProcessedStation(2)
  setRule(model, { action: 'move', to: '/archive', days: 0 })
  // The drive does not allow renames or links from the watched folder into the archive.
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

test('finishes a move that the hash of a large file interrupted, and copies the file only once', async () => {
  model = await openProcessedStation(1)
  const { hash } = model.drive.hashing
  const gate = Promise.withResolvers<void>()
  let isRead = false
  Object.assign(model.drive.hashing, {
    hash: async (request: Parameters<typeof hash>[0]) => {
      isRead ||= request.identity.sizeBytes === LARGE
      if (request.identity.sizeBytes === LARGE) await gate.promise
      return hash(request)
    },
  })
  for (const take of [8, 9]) model.drive.write(pathOf(take), `content ${take}`, LARGE)
  model.hint()
  const findQueued = () => model.recordings().find(({ state }) => state === 'queued')
  // The hasher reads one large file. The other large file becomes due for its first hash during the copy.
  await model.until(() => isRead && findQueued() !== undefined)
  const { id } = findQueued()!
  model.journal.recordings.patch(id, { nextAttemptAtMs: model.nowMs + DAY_MS })
  let copies = 0
  model.fileOperations.fate = (operation) => {
    if (operation === 'copy') {
      copies += 1
      model.journal.recordings.patch(id, { nextAttemptAtMs: 0 })
    }
    return 'done'
  }
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  for (let steps = 0; steps < 5; steps += 1) {
    await model.round()
    await model.pass(60_000)
  }
  expect(copies).toBe(1)
  expect(model.drive.contentOf(pathOf(0))).toBe('content 0')
  gate.resolve()
  expect(await model.until(() => !pathsInFolder(model).includes(pathOf(0)))).toBe(true)
  expect(model.drive.contentOf(`${ARCHIVE}/take-0.bin`)).toBe('content 0')
})

test.each([
  ['while the finished copy cannot be read', 'hash'],
  ['while the drive of the finished copy does not answer', 'identify'],
] as const)('makes no second copy beside a finished one %s', async (_, failingCall) => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${ARCHIVE}/take-0.bin`])
  model.fileOperations.fate = () => 'done'
  let isBusy = true
  model.drive.fate = (call, path) =>
    isBusy && call === failingCall && path.startsWith(ARCHIVE)
      ? { kind: 'file-busy', detail: 'simulated' }
      : null
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${ARCHIVE}/take-0.bin`])
  expect(model.journal.removals.of(model.firstRecording().id)?.waits).toBe('target-refused')
  isBusy = false
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.drive.paths()).toEqual([`${ARCHIVE}/take-0.bin`])
})

test('a half-written copy never gets its final name, even if an earlier copy had that name', async () => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'refused' : 'done')
  await model.round()
  const target = `${ARCHIVE}/take-0.bin`
  expect(model.drive.contentOf(target)).toBe('content 0')
  // A user deletes the copy. A kill interrupts the next copy.
  model.drive.remove(target)
  model.fileOperations.fate = (operation) => (operation === 'copy' ? 'killed-within' : 'done')
  model.journal.removals.retryHeld()
  await model.round()
  const copies = () => model.drive.paths().filter((path) => path.startsWith(ARCHIVE))
  expect(copies()).toHaveLength(1)
  model.fileOperations.fate = () => 'done'
  model.restart()
  model.journal.station.pause(null)
  await model.round()
  expect(copies()).toEqual([])
  model.journal.station.resume()
  model.journal.removals.retryHeld()
  expect(await model.until(() => pathsInFolder(model).length === 0, 20)).toBe(true)
  expect(copies()).toEqual([target])
  expect(model.drive.contentOf(target)).toBe('content 0')
})

const countCopies = (result: 'done' | 'full') => {
  let copies = 0
  model.fileOperations.fate = (operation) => {
    if (operation !== 'copy') return 'done'
    copies += 1
    return result
  }
  return () => copies
}

const passMinutes = async (minutes: number) => {
  for (let passed = 0; passed < minutes; passed += 5) {
    await model.round()
    await model.pass(5 * 60_000)
  }
  await model.round()
}

const firstWait = () => model.journal.removals.of(model.firstRecording().id)?.waits

test('begins no copy that does not fit on the target drive, and copies once there is space', async () => {
  model = await openProcessedStation(2)
  const copies = countCopies('done')
  model.drive.otherFreeBytes = SIZE - 1
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  await passMinutes(60)
  expect(firstWait()).toBe('target-full')
  expect(copies()).toBe(0)
  expect(pathsInFolder(model)).toEqual([pathOf(0), pathOf(1)])
  model.drive.otherFreeBytes = SIZE
  expect(await model.until(() => pathsInFolder(model).length === 0)).toBe(true)
  expect(copies()).toBe(2)
})

test.each([1e12, null])(
  'if the target drive cannot take the whole copy, retries only after an hour (free bytes that the drive reports: %s)',
  async (freeBytes) => {
    model = await openProcessedStation(1)
    const copies = countCopies('full')
    model.drive.otherFreeBytes = freeBytes
    setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
    await passMinutes(50)
    expect(firstWait()).toBe('target-limit')
    expect(copies()).toBe(1)
    await passMinutes(20)
    expect(copies()).toBe(2)
    expect(pathsInFolder(model)).toEqual([pathOf(0)])
  },
)

test.each([
  ['replaced', () => model.drive.write(`${ARCHIVE}/take-0.bin`, 'a different file', SIZE)],
  ['removed', () => model.drive.remove(`${ARCHIVE}/take-0.bin`)],
  ['edited in place', () => model.drive.editRestoringMtime(`${ARCHIVE}/take-0.bin`, 'edited')],
])('keeps the original if its copy is %s before the original is removed', async (how, change) => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  let removals = 0
  model.fileOperations.onRemove = () => {
    removals += 1
  }
  model.fileOperations.onHide = () => {
    model.fileOperations.onHide = () => {}
    change()
  }
  await model.round()
  expect([removals, pathsInFolder(model)]).toEqual([0, [pathOf(0)]])
  expect(await model.until(() => model.recordings().every(({ removedAtMs }) => removedAtMs !== null))).toBe(
    true,
  )
  const movedTo = model.firstRecording().movedTo ?? ''
  expect(model.drive.contentOf(movedTo)).toBe('content 0')
  if (how === 'replaced') expect(model.drive.contentOf(`${ARCHIVE}/take-0.bin`)).toBe('a different file')
})

test('a share that gives a file a new inode number does not stop a move', async () => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.onHide = () => {
    const copy = model.drive.at(`${ARCHIVE}/take-0.bin`)!
    model.drive.put(`${ARCHIVE}/take-0.bin`, { ...copy, identity: { ...copy.identity, inode: 'renumbered' } })
  }
  await model.round()
  expect(model.drive.paths()).toEqual([`${ARCHIVE}/take-0.bin`])
})

test('a copy that is edited in place before it has its final name does not become the archived copy', async () => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  let hasEdited = false
  model.service.fate = () => {
    const copy = model.drive.paths().find((path) => path.startsWith(`${ARCHIVE}/.sluice-removing-`))
    if (copy !== undefined && !hasEdited) {
      hasEdited = true
      model.drive.editRestoringMtime(copy, 'edited')
    }
    return { kind: 'answered' }
  }
  expect(await model.until(() => model.recordings().every(({ removedAtMs }) => removedAtMs !== null))).toBe(
    true,
  )
  expect(hasEdited).toBe(true)
  expect(model.drive.contentOf(`${ARCHIVE}/take-0.bin`)).toBe('content 0')
  expect(model.drive.paths()).toEqual([`${ARCHIVE}/take-0.bin`])
})
