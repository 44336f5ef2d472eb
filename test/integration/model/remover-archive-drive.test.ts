import { afterEach, expect, test } from 'vitest'
import type { VolumeIdentity } from '../../../main/agent/ports/folders.ts'
import {
  ARCHIVE,
  DAY_MS,
  openProcessedStation,
  pathOf,
  pathsInFolder,
  setRule,
} from '../../support/model/removal-station.ts'
import type { ModelStation } from '../../support/model/station.ts'

/** The remover moves files only to the drive that the user chose. */

let model: ModelStation
afterEach(() => model.close())

test('a move waits while its target drive is offline, and Sluice never writes to the empty mount point', async () => {
  model = await openProcessedStation(2)
  const volumes: Record<string, { device: string; inode: string }> = {}
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => volumes[path] ?? { device: '1', inode: '1' },
  })
  volumes[ARCHIVE] = { device: '2', inode: '2' }
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  model.fileOperations.fate = (operation) =>
    operation === 'copy' && pathsInFolder(model).length === 1 ? 'refused' : 'done'
  await model.round()
  expect(pathsInFolder(model)).toHaveLength(1)
  model.fileOperations.fate = () => 'done'
  volumes[ARCHIVE] = { device: '1', inode: '77' }
  await model.pass(DAY_MS)
  await model.round()
  expect(pathsInFolder(model)).toHaveLength(1)
  const [waitingRecording] = model.recordings().filter(({ removedAtMs }) => removedAtMs === null)
  expect(model.journal.removals.of(waitingRecording!.id)?.waits).toBe('target-replaced')
  volumes[ARCHIVE] = { device: '3', inode: '2' }
  await model.pass(600_000)
  await model.round()
  expect(pathsInFolder(model)).toEqual([])
})

test('writes nothing to a different archive drive with the same device number', async () => {
  model = await openProcessedStation(1)
  let archive = { device: '2', inode: '2:1700000000000000001' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === ARCHIVE ? archive : { device: '1', inode: '1' }),
  })
  setRule(model, { action: 'move', to: ARCHIVE, days: 1 })
  model.journal.volumes.setTargetVolume(ARCHIVE, archive)
  archive = { device: '2', inode: '2:1700000000000000002' }
  await model.pass(2 * DAY_MS)
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
  expect(model.journal.removals.of(model.firstRecording().id)?.waits).toBe('target-replaced')
  archive = { device: '5', inode: '2:1700000000000000001' }
  await model.pass(600_000)
  await model.round()
  expect(model.drive.paths()).toEqual([`${ARCHIVE}/take-0.bin`])
})

test('recognises a different archive drive, even if the UUID of the first drive was missing during a move', async () => {
  model = await openProcessedStation(2)
  let archive: VolumeIdentity = { device: '2', inode: '2', drive: 'uuid:a' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === ARCHIVE ? archive : { device: '1', inode: '1' }),
  })
  model.journal.volumes.setTargetVolume(ARCHIVE, archive)
  // Only the first file is moved.
  model.fileOperations.fate = (operation) =>
    operation === 'copy' && pathsInFolder(model).length === 1 ? 'refused' : 'done'
  archive = { device: '5', inode: '2', drive: 'root:2:5' }
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  await model.round()
  expect(pathsInFolder(model)).toHaveLength(1)
  expect(model.journal.volumes.targetVolume(ARCHIVE)).toEqual({ device: '5', inode: '2', drive: 'uuid:a' })
  model.fileOperations.fate = () => 'done'
  archive = { device: '5', inode: '2', drive: 'uuid:b' }
  await model.pass(DAY_MS)
  await model.round()
  expect(pathsInFolder(model)).toHaveLength(1)
  const [waitingRecording] = model.recordings().filter(({ removedAtMs }) => removedAtMs === null)
  expect(model.journal.removals.of(waitingRecording!.id)?.waits).toBe('target-replaced')
})

test('Sluice stores the drive that is mounted over an empty archive folder, not the drive below it', async () => {
  model = await openProcessedStation(1)
  const archive: VolumeIdentity = { device: '2', inode: '2', drive: 'root:2:5' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === ARCHIVE ? archive : { device: '1', inode: '1' }),
  })
  model.journal.volumes.setTargetVolume(ARCHIVE, { device: '1', inode: '77', drive: 'uuid:system' })
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  await model.round()
  expect(pathsInFolder(model)).toEqual([])
  expect(model.journal.volumes.targetVolume(ARCHIVE)).toEqual(archive)
})

test('accepts a drive mounted over the archive folder, and forgets the drive once no rule uses the folder', async () => {
  model = await openProcessedStation(2)
  const volumes: Record<string, { device: string; inode: string }> = {}
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => volumes[path] ?? { device: '1', inode: '1' },
  })
  model.journal.volumes.setTargetVolume(ARCHIVE, { device: '1', inode: '77' })
  volumes[ARCHIVE] = { device: '2', inode: '2' }
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  await model.round()
  expect(pathsInFolder(model)).toEqual([])
  expect(model.journal.volumes.targetVolume(ARCHIVE)).toEqual({ device: '2', inode: '2' })
  setRule(model, { action: 'keep' })
  await model.round()
  expect(model.journal.volumes.targetVolume(ARCHIVE)).toBeNull()
})

test('writes nothing to an archive that became a link to a different drive', async () => {
  model = await openProcessedStation(1)
  const otherVolume = { device: '2', inode: '2' }
  Object.assign(model.drive.folderAccess, {
    volumeOf: async (path: string) => (path === ARCHIVE ? otherVolume : { device: '1', inode: '1' }),
  })
  Object.assign(model.fileOperations.operations, {
    realFolder: async (folder: string) => (folder === ARCHIVE ? '/other-drive/elsewhere' : folder),
  })
  model.journal.volumes.setTargetVolume(ARCHIVE, { device: '1', inode: '77' })
  setRule(model, { action: 'move', to: ARCHIVE, days: 0 })
  await model.round()
  expect(model.drive.paths()).toEqual([pathOf(0)])
  expect(model.journal.removals.of(model.firstRecording().id)?.waits).toBe('target-replaced')
})
