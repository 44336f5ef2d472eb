import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SpaceWatch } from '../../main/agent/outlook/space-watch.ts'
import { driveOf } from '../../main/agent/platform/files/drive-space.ts'
import { mountedDisk, needs } from '../support/needs.ts'

const MB = 1_048_576

const makeTemporaryFolder = (): string => {
  const folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'sluice-drive-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Mounts a real drive for the duration of the test. */
const mountSmallDrive = (sizeBytes: number): string => {
  const folder = makeTemporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', folder], { stdio: 'ignore' })
  onTestFinished(() => {
    execFileSync('umount', [folder])
  })
  return folder
}

test(
  'reports each drive once, by its mount point, with its real free space',
  needs(mountedDisk),
  async () => {
    const [first, second] = [mountSmallDrive(16 * MB), mountSmallDrive(8 * MB)]
    const folders = [path.join(first, 'hall', 'rig'), path.join(first, 'track'), second]
    for (const folder of folders) mkdirSync(folder, { recursive: true })
    const watch = new SpaceWatch({
      drives: { of: (folder) => driveOf(folder) },
      clock: { monotonicMs: () => 0 },
      folders: () => folders,
      deviceOf: () => null,
    })
    await watch.poll()
    expect(watch.watched()).toMatchObject([
      { folders: folders.slice(0, 2), answering: true, drive: { name: first, totalBytes: 16 * MB } },
      { folders: [second], answering: true, drive: { name: second, totalBytes: 8 * MB } },
    ])
    const readFreeBytes = () => watch.watched()[1]?.drive?.freeBytes ?? 0
    const freeBytesBefore = readFreeBytes()
    writeFileSync(path.join(second, 'recording.bin'), Buffer.alloc(5 * MB))
    await watch.poll()
    expect(freeBytesBefore - readFreeBytes()).toBe(5 * MB)
  },
)

test('a missing folder has no drive, and is not an error', async () => {
  expect(await driveOf(path.join(makeTemporaryFolder(), 'nowhere'))).toBeNull()
})
