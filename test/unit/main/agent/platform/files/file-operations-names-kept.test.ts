import { linkSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const drive = vi.hoisted(() => ({ keeps: (_name: string): boolean => false }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    unlink: async (file: string) => {
      if (drive.keeps(path.basename(file)))
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

const folderWith = () => {
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

test('removes the new name if it cannot remove the old one', async () => {
  const { folder, aside, file, operations } = folderWith()
  drive.keeps = (name) => name === 'aside'
  expect(await operations.place(aside, file)).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['aside'])
})

test('creates no third name at a retry if it could remove neither name', async () => {
  const { folder, aside, file, operations } = folderWith()
  drive.keeps = () => true
  for (let n = 0; n < 5; n += 1)
    expect(await operations.place(aside, file)).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['aside', 'take.bin'])
  expect(statSync(file).nlink).toBe(2)
  drive.keeps = () => false
  expect(await operations.place(aside, file)).toEqual({ kind: 'done' })
  expect(readdirSync(folder)).toEqual(['take.bin'])
})

test('if another program removes the second name, the first one stays', async () => {
  const { folder, aside, file, operations } = folderWith()
  linkSync(aside, file)
  drive.keeps = () => false
  expect(await operations.place(aside, file)).toEqual({ kind: 'done' })
  expect(await operations.place(aside, file)).toEqual({ kind: 'vanished' })
  expect(readdirSync(folder)).toEqual(['take.bin'])
})
