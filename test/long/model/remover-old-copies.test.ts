import { afterEach, expect, test } from 'vitest'
import { isRemovalName } from '../../../shared/paths/system-names.ts'
import {
  ARCHIVE,
  openProcessedStation,
  pathOf,
  pathsInFolder,
  SIZE,
  setRule,
} from '../../support/model/removal-station.ts'
import { FOLDER, type ModelStation } from '../../support/model/station.ts'

/** Copies that remain when a crash or a change of the rules ends a move. The remover removes only its own copies. */

let model: ModelStation
afterEach(() => model.close())

test.each([
  [
    'a different folder',
    { action: 'move', to: '/other-drive/new', days: 0 },
    ['/other-drive/new/take-0.bin'],
  ],
  ['keep', { action: 'keep' }, [pathOf(0)]],
  ['delete', { action: 'delete', days: 0 }, []],
])('removes a copy made under old rules after the rules change to %s', async (_, policy, expected) => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  // The copy is in place, but the remover cannot remove the original.
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${ARCHIVE}/take-0.bin`])
  model.fileOperations.fate = () => 'done'
  setRule(model, policy)
  model.journal.removals.retryHeld()
  await model.round()
  expect(model.drive.paths()).toEqual(expected)
})

test('after a crash, removes a partial copy once its drive is back, even if the rules have changed', async () => {
  model = await openProcessedStation(1)
  let archive: { device: string; inode: string } | null = { device: '2', inode: '2' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === ARCHIVE ? archive : { device: '1', inode: '1' }),
  })
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'copy' ? 'killed-within' : 'done')
  await model.round()
  const copies = () => model.drive.paths().filter((path) => path.startsWith(ARCHIVE))
  expect(copies()).toHaveLength(1)
  // At the next start, the drive of the archive is offline, and the rules no longer name the archive.
  archive = null
  model.fileOperations.fate = () => 'done'
  model.restart()
  setRule(model, { action: 'delete', days: 0 })
  expect(await model.until(() => pathsInFolder(model).length === 0)).toBe(true)
  expect(copies()).toHaveLength(1)
  model.restart()
  // The remover must not touch a different drive at the same path.
  archive = { device: '3', inode: '77' }
  await model.round()
  expect(copies()).toHaveLength(1)
  // The drive is back, with a different device number.
  archive = { device: '9', inode: '2' }
  await model.round()
  expect(copies()).toEqual([])
  expect(model.journal.removals.copies.leftover()).toEqual([])
})

test('removes a copy made under old rules once the drive of the copy is back', async () => {
  model = await openProcessedStation(1)
  let archive: { device: string; inode: string } | null = { device: '2', inode: '2' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === ARCHIVE ? archive : { device: '1', inode: '1' }),
  })
  const { identify } = model.drive.files
  Object.assign(model.drive.files, {
    identify: async (path: string) =>
      archive === null && path.startsWith(ARCHIVE)
        ? { ok: false, failure: { kind: 'file-vanished' } }
        : identify(path),
  })
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${ARCHIVE}/take-0.bin`])
  model.fileOperations.fate = () => 'done'
  archive = null
  setRule(model, { action: 'keep' })
  await model.round()
  archive = { device: '2', inode: '2' }
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
})

test('keeps a user’s file at the path of a copy made under old rules', async () => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'refused' : 'done')
  await model.round()
  model.drive.write(`${ARCHIVE}/take-0.bin`, 'a user’s own', SIZE)
  model.fileOperations.fate = () => 'done'
  setRule(model, { action: 'keep' })
  await model.round()
  expect(model.drive.contentOf(`${ARCHIVE}/take-0.bin`)).toBe('a user’s own')
  expect(pathsInFolder(model)).toHaveLength(1)
})

test('removes a half-written copy at the next start, even if the drive of the original is offline', async () => {
  model = await openProcessedStation(1)
  let isOffline = false
  const { volumeOf } = model.drive.folderAccess
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (isOffline && path === FOLDER ? null : volumeOf(path)),
  })
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'copy' ? 'killed-within' : 'done')
  await model.round()
  const copies = () => model.drive.paths().filter((path) => path.startsWith(ARCHIVE))
  expect(copies()).toHaveLength(1)
  isOffline = true
  model.fileOperations.fate = () => 'done'
  model.restart()
  await model.round()
  expect(copies()).toEqual([])
})

/** Sluice copies the file but cannot remove the original. Then the rule changes to `keep`. */
const copyThenKeep = async (): Promise<void> => {
  model = await openProcessedStation(1)
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'refused' : 'done')
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0), `${ARCHIVE}/take-0.bin`])
  model.fileOperations.fate = () => 'done'
  setRule(model, { action: 'keep' })
}

test('keeps a write to a copy that is being removed, even if the remover cannot restore the name of the copy at once', async () => {
  await copyThenKeep()
  model.fileOperations.onHide = (hidden) => {
    model.fileOperations.onHide = () => {}
    model.drive.write(hidden, 'written late', SIZE)
  }
  let refusals = 1
  model.fileOperations.fate = (operation) => (operation === 'place' && refusals-- > 0 ? 'refused' : 'done')
  await model.round()
  await model.round()
  expect(model.drive.contentOf(`${ARCHIVE}/take-0.bin`)).toBe('written late')
  expect(model.drive.contentOf(pathOf(0))).toBe('content 0')
})

test('removes a copy made under old rules once it can be read again, and does not read it every minute', async () => {
  await copyThenKeep()
  let reads = 0
  let isBusy = true
  model.drive.fate = (call, path) => {
    if (call !== 'hash' || !path.startsWith(ARCHIVE)) return null
    reads += 1
    return isBusy ? { kind: 'file-busy', detail: 'simulated' } : null
  }
  for (let steps = 0; steps < 5; steps += 1) {
    await model.round()
    await model.pass(60_000)
  }
  expect(model.drive.paths()).toEqual([pathOf(0), `${ARCHIVE}/take-0.bin`])
  expect(reads).toBe(1)
  isBusy = false
  await model.pass(3_600_000)
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
})

test('keeps a copy that was being removed if the original was replaced before the next start', async () => {
  await copyThenKeep()
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'killed-after' : 'done')
  await model.round()
  model.fileOperations.fate = () => 'done'
  model.drive.remove(pathOf(0))
  model.drive.write(pathOf(0), 'a new recording', SIZE)
  model.restart()
  await model.round()
  expect(model.drive.contentOf(`${ARCHIVE}/take-0.bin`)).toBe('content 0')
})

test('keeps a copy if the original is replaced while the remover reads the copy', async () => {
  await copyThenKeep()
  const { hash } = model.drive.hashing
  Object.assign(model.drive.hashing, {
    hash: async (request: Parameters<typeof hash>[0]) => {
      const hashed = await hash(request)
      if (request.path.startsWith(ARCHIVE) && isRemovalName(request.path.slice(ARCHIVE.length + 1))) {
        model.drive.remove(pathOf(0))
        model.drive.write(pathOf(0), 'a new recording', SIZE)
      }
      return hashed
    },
  })
  await model.round()
  expect(model.drive.contentOf(pathOf(0))).toBe('a new recording')
  expect(model.drive.contentOf(`${ARCHIVE}/take-0.bin`)).toBe('content 0')
})

test('a copy gets its name back after a crash, even if the drive of the original is missing', async () => {
  await copyThenKeep()
  model.fileOperations.fate = (operation) => (operation === 'hide' ? 'killed-after' : 'done')
  await model.round()
  model.fileOperations.fate = () => 'done'
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === FOLDER ? null : { device: '1', inode: '1' }),
  })
  model.restart()
  await model.round()
  expect(model.drive.contentOf(`${ARCHIVE}/take-0.bin`)).toBe('content 0')
})
