import { linkSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const drive = vi.hoisted(() => ({ refusesUnlink: (_name: string): boolean => false }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    unlink: async (file: string) => {
      if (drive.refusesUnlink(path.basename(file)))
        throw Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'unlink' })
      return real.unlink(file)
    },
  }
})

// Test files of one worker share their modules, so an earlier file may have loaded this module without the mock.
vi.resetModules()
const { createFileOperations } = await import(
  '../../../../../../main/agent/platform/files/file-operations.ts'
)

const createFolder = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-kept-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [oldFile, newFile] = [path.join(folder, 'old.bin'), path.join(folder, 'take.bin')]
  writeFileSync(oldFile, 'ours')
  const operations = createFileOperations(
    (name) => name,
    () => folder,
  )
  return { folder, oldFile, newFile, operations }
}

test('removes the new name if it cannot remove the old name', async () => {
  const { folder, oldFile, newFile, operations } = createFolder()
  drive.refusesUnlink = (name) => name === 'old.bin'
  expect(await operations.place(oldFile, newFile)).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['old.bin'])
})

test('a retry creates no third name if neither name could be removed', async () => {
  const { folder, oldFile, newFile, operations } = createFolder()
  drive.refusesUnlink = () => true
  for (let n = 0; n < 5; n += 1)
    expect(await operations.place(oldFile, newFile)).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['old.bin', 'take.bin'])
  expect(statSync(newFile).nlink).toBe(2)
  drive.refusesUnlink = () => false
  expect(await operations.place(oldFile, newFile)).toEqual({ kind: 'done' })
  expect(readdirSync(folder)).toEqual(['take.bin'])
})

test('a repeated call does not remove the last name of the file', async () => {
  const { folder, oldFile, newFile, operations } = createFolder()
  linkSync(oldFile, newFile)
  drive.refusesUnlink = () => false
  expect(await operations.place(oldFile, newFile)).toEqual({ kind: 'done' })
  expect(await operations.place(oldFile, newFile)).toEqual({ kind: 'vanished' })
  expect(readdirSync(folder)).toEqual(['take.bin'])
})
