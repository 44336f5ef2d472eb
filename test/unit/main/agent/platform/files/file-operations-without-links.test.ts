import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const drive = vi.hoisted(() => ({ says: '' }))

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  link: async () => {
    throw Object.assign(new Error(drive.says), { code: drive.says, syscall: 'link' })
  },
}))

// Test files of one worker share their modules, so an earlier file may have loaded this module without the mock.
vi.resetModules()
const { createFileOperations } = await import(
  '../../../../../../main/agent/platform/files/file-operations.ts'
)

/** EPERM: FAT on Linux. ENOTSUP: exFAT on macOS, and shares. EISDIR: exFAT and FAT on Windows. */
test.each(['EPERM', 'ENOTSUP', 'EISDIR'])(
  'on a drive without links (%s), a file still gets its name back',
  async (says) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-no-links-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    drive.says = says
    const operations = createFileOperations(
      (file) => file,
      () => folder,
    )
    const [aside, file, taken] = ['aside', 'take.bin', 'taken'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(aside, 'ours')
    writeFileSync(taken, 'theirs')
    expect(await operations.place(aside, taken)).toEqual({ kind: 'taken' })
    expect(await operations.place(aside, file)).toEqual({ kind: 'done' })
    expect([readdirSync(folder).sort(), readFileSync(file, 'utf8'), readFileSync(taken, 'utf8')]).toEqual([
      ['take.bin', 'taken'],
      'ours',
      'theirs',
    ])
  },
)
