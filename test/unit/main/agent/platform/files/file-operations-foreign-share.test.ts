import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { identityOf } from '../../../../../../main/agent/platform/files/stat-identity.ts'

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const open: typeof real.open = async (...args) => {
    const handle = await real.open(...args)
    handle.utimes = async () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'futime' })
    }
    return handle
  }
  return { ...real, open }
})

// Test files of one worker share their modules, so an earlier file may have loaded this module without the mock.
vi.resetModules()
const { createFileOperations } = await import(
  '../../../../../../main/agent/platform/files/file-operations.ts'
)

test('copies to a share on which no program can set file times', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-foreign-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')]
  writeFileSync(from, 'a take')
  const operations = createFileOperations(
    (file) => file,
    () => folder,
  )
  const identity = identityOf(statSync(from, { bigint: true }))
  expect(await operations.copy(from, to, identity, new AbortController().signal)).toEqual({ kind: 'done' })
  expect(readFileSync(to, 'utf8')).toBe('a take')
})
