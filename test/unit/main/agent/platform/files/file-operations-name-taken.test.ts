import { linkSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const drive = vi.hoisted(() => ({
  hasInodes: true,
  beforeLink: () => {},
  afterLink: () => {},
  beforeUnlink: (_name: string) => {},
  beforeRename: (_name: string) => {},
}))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    lstat: async (file: string) =>
      Object.assign(await real.lstat(file, { bigint: true }), drive.hasInodes ? {} : { ino: 0n }),
    link: async (from: string, to: string) => {
      drive.beforeLink()
      await real.link(from, to)
      drive.afterLink()
    },
    unlink: async (file: string) => {
      drive.beforeUnlink(path.basename(file))
      return real.unlink(file)
    },
    rename: async (from: string, to: string) => {
      drive.beforeRename(path.basename(from))
      return real.rename(from, to)
    },
  }
})

// Test files of one worker share their modules, so an earlier file may have loaded this module without the mock.
vi.resetModules()
const { createFileOperations } = await import(
  '../../../../../../main/agent/platform/files/file-operations.ts'
)

const doNothing = () => {}

const createFolder = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-taken-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  Object.assign(drive, { hasInodes: true, beforeLink: doNothing, afterLink: doNothing })
  Object.assign(drive, { beforeUnlink: doNothing, beforeRename: doNothing })
  const pathOf = (name: string) => path.join(folder, name)
  writeFileSync(pathOf('old.bin'), 'old')
  const operations = createFileOperations(
    (name) => name,
    () => folder,
  )
  return { folder, pathOf, operations }
}

test('a recorder keeps its file if it takes the new name right after Sluice has created its link', async () => {
  const { pathOf, operations, folder } = createFolder()
  writeFileSync(pathOf('take.part'), 'new recording')
  drive.afterLink = () => renameSync(pathOf('take.part'), pathOf('take.bin'))
  expect(await operations.place(pathOf('old.bin'), pathOf('take.bin'))).toEqual({ kind: 'taken' })
  expect(readdirSync(folder)).toEqual(['old.bin', 'take.bin'])
  expect(readFileSync(pathOf('take.bin'), 'utf8')).toBe('new recording')
  expect(readFileSync(pathOf('old.bin'), 'utf8')).toBe('old')
})

test('a recorder keeps its file if it takes the new name just before Sluice fails to remove the old name', async () => {
  const { pathOf, operations } = createFolder()
  writeFileSync(pathOf('take.part'), 'new recording')
  // Because of the third name, the link count of the old file is still 2 after the recorder has taken `take.bin`.
  linkSync(pathOf('old.bin'), pathOf('third'))
  drive.beforeUnlink = (name) => {
    if (name !== 'old.bin') return
    renameSync(pathOf('take.part'), pathOf('take.bin'))
    throw Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'unlink' })
  }
  expect(await operations.place(pathOf('old.bin'), pathOf('take.bin'))).toMatchObject({ kind: 'refused' })
  expect(readFileSync(pathOf('take.bin'), 'utf8')).toBe('new recording')
})

test('a recorder keeps its file if it takes the new name just before Sluice removes its link', async () => {
  const { pathOf, operations, folder } = createFolder()
  writeFileSync(pathOf('take.part'), 'new recording')
  const takeName = (name: string) => {
    if (name === 'take.bin' && readdirSync(folder).includes('take.part'))
      renameSync(pathOf('take.part'), pathOf('take.bin'))
  }
  drive.beforeRename = takeName
  drive.beforeUnlink = (name) => {
    takeName(name)
    if (name === 'old.bin') throw Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'unlink' })
  }
  expect(await operations.place(pathOf('old.bin'), pathOf('take.bin'))).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['old.bin', 'take.bin'])
  expect(readFileSync(pathOf('take.bin'), 'utf8')).toBe('new recording')
})

test('a file that replaces the original just before Sluice links it gets no second name', async () => {
  const { pathOf, operations, folder } = createFolder()
  writeFileSync(pathOf('other'), 'other')
  drive.beforeLink = () => renameSync(pathOf('other'), pathOf('old.bin'))
  expect(await operations.place(pathOf('old.bin'), pathOf('take.bin'))).toEqual({ kind: 'changed' })
  expect(readdirSync(folder)).toEqual(['old.bin'])
  expect(readFileSync(pathOf('old.bin'), 'utf8')).toBe('other')
})

test('on a drive without inodes, a file gets a free name but never a taken one', async () => {
  const { pathOf, operations, folder } = createFolder()
  drive.hasInodes = false
  writeFileSync(pathOf('taken'), 'theirs')
  expect(await operations.place(pathOf('old.bin'), pathOf('taken'))).toEqual({ kind: 'taken' })
  expect(await operations.place(pathOf('old.bin'), pathOf('take.bin'))).toEqual({ kind: 'done' })
  expect(readdirSync(folder)).toEqual(['take.bin', 'taken'])
})
