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
  const [aside, file] = [path.join(folder, 'aside'), path.join(folder, 'take.bin')]
  writeFileSync(aside, 'ours')
  const operations = createFileOperations(
    (name) => name,
    () => folder,
  )
  return { folder, aside, file, operations }
}

test('removes the new name if it cannot remove the old name', async () => {
  const { folder, aside, file, operations } = createFolder()
  drive.refusesUnlink = (name) => name === 'aside'
  expect(await operations.place(aside, file)).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['aside'])
})

test('a retry creates no third name if neither name could be removed', async () => {
  const { folder, aside, file, operations } = createFolder()
  drive.refusesUnlink = () => true
  for (let n = 0; n < 5; n += 1)
    expect(await operations.place(aside, file)).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['aside', 'take.bin'])
  expect(statSync(file).nlink).toBe(2)
  drive.refusesUnlink = () => false
  expect(await operations.place(aside, file)).toEqual({ kind: 'done' })
  expect(readdirSync(folder)).toEqual(['take.bin'])
})

test('a second call does not remove the remaining name', async () => {
  const { folder, aside, file, operations } = createFolder()
  linkSync(aside, file)
  drive.refusesUnlink = () => false
  expect(await operations.place(aside, file)).toEqual({ kind: 'done' })
  expect(await operations.place(aside, file)).toEqual({ kind: 'vanished' })
  expect(readdirSync(folder)).toEqual(['take.bin'])
})
