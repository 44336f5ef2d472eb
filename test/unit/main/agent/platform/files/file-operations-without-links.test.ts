import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { linux, needs } from '../../../../../support/needs.ts'

const drive = vi.hoisted(() => ({ linkError: '', checksNames: true, beforeRename: (_to: string) => {} }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    link: async () => {
      throw Object.assign(new Error(drive.linkError), { code: drive.linkError, syscall: 'link' })
    },
    rename: async (from: string, to: string) => {
      drive.beforeRename(to)
      return real.rename(from, to)
    },
  }
})

vi.mock('../../../../../../main/agent/platform/files/rename-if-free.ts', async (original) => {
  const real =
    await original<typeof import('../../../../../../main/agent/platform/files/rename-if-free.ts')>()
  return {
    renameIfFree: async (from: string, to: string) => drive.checksNames && real.renameIfFree(from, to),
  }
})

// Test files of one worker share their modules, so an earlier file may have loaded this module without the mock.
vi.resetModules()
const { createFileOperations } = await import(
  '../../../../../../main/agent/platform/files/file-operations.ts'
)

/**
 * Drives without links answer with these codes. EPERM: FAT on Linux. ENOTSUP: exFAT on macOS, and shares. EISDIR: exFAT
 * and FAT on Windows.
 */
test.each(['EPERM', 'ENOTSUP', 'EISDIR'])(
  'on a drive without links (%s), a file still gets a free name but never a taken one',
  async (errorCode) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-no-links-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    drive.linkError = errorCode
    const operations = createFileOperations(
      (file) => file,
      () => folder,
    )
    const [oldFile, file, taken] = ['old.bin', 'take.bin', 'taken'].map((name) =>
      path.join(folder, name),
    ) as [string, string, string]
    writeFileSync(oldFile, 'ours')
    writeFileSync(taken, 'theirs')
    expect(await operations.place(oldFile, taken)).toEqual({ kind: 'taken' })
    expect(await operations.place(oldFile, file)).toEqual({ kind: 'done' })
    expect([readdirSync(folder).sort(), readFileSync(file, 'utf8'), readFileSync(taken, 'utf8')]).toEqual([
      ['take.bin', 'taken'],
      'ours',
      'theirs',
    ])
  },
)

test('a recorder keeps its file if it takes the new name just before the rename', needs(linux), async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-no-links-'))
  onTestFinished(() => {
    drive.beforeRename = () => {}
    rmSync(folder, { recursive: true })
  })
  drive.linkError = 'EPERM'
  const pathOf = (name: string) => path.join(folder, name)
  writeFileSync(pathOf('old.bin'), 'ours')
  writeFileSync(pathOf('take.part'), 'new recording')
  // Node's rename overwrites the target. So Sluice must use a system call that fails if the name is taken.
  drive.beforeRename = () => renameSync(pathOf('take.part'), pathOf('take.bin'))
  const operations = createFileOperations(
    (file) => file,
    () => folder,
  )
  await operations.place(pathOf('old.bin'), pathOf('take.bin'))
  const contents = readdirSync(folder).map((name) => readFileSync(pathOf(name), 'utf8'))
  expect(contents.sort()).toEqual(['new recording', 'ours'])
})

/** A share that has no links, and no rename that fails if the name is taken. */
const createSimpleShare = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-no-links-'))
  onTestFinished(() => {
    Object.assign(drive, { checksNames: true, beforeRename: () => {} })
    rmSync(folder, { recursive: true })
  })
  Object.assign(drive, { linkError: 'EPERM', checksNames: false })
  const pathOf = (name: string) => path.join(folder, name)
  writeFileSync(pathOf('old.bin'), 'ours')
  const operations = createFileOperations(
    (file) => file,
    () => folder,
  )
  return { folder, pathOf, operations }
}

test('creates no empty file under the new name before the rename, so a kill cannot leave one', async () => {
  const { folder, pathOf, operations } = createSimpleShare()
  let didTargetExist = true
  drive.beforeRename = (to) => {
    didTargetExist = existsSync(to)
  }
  expect(await operations.place(pathOf('old.bin'), pathOf('take.bin'))).toEqual({ kind: 'done' })
  expect(didTargetExist).toBe(false)
  expect(readdirSync(folder)).toEqual(['take.bin'])
  writeFileSync(pathOf('old.bin'), 'ours')
  expect(await operations.place(pathOf('old.bin'), pathOf('take.bin'))).toEqual({ kind: 'taken' })
})

test('if the rename fails, a recorder keeps the file that it has just created under the new name', async () => {
  const { folder, pathOf, operations } = createSimpleShare()
  drive.beforeRename = () => {
    writeFileSync(pathOf('take.bin'), '')
    throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'rename' })
  }
  expect(await operations.place(pathOf('old.bin'), pathOf('take.bin'))).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['old.bin', 'take.bin'])
})
