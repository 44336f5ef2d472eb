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

const drive = vi.hoisted(() => ({ says: '', checksNames: true, beforeRename: (_to: string) => {} }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    link: async () => {
      throw Object.assign(new Error(drive.says), { code: drive.says, syscall: 'link' })
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

test('a recorder that takes the name at the last moment keeps its file', needs(linux), async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-no-links-'))
  onTestFinished(() => {
    drive.beforeRename = () => {}
    rmSync(folder, { recursive: true })
  })
  drive.says = 'EPERM'
  const at = (name: string) => path.join(folder, name)
  writeFileSync(at('aside'), 'ours')
  writeFileSync(at('take.part'), 'new recording')
  // A rename of Node overwrites. So Sluice must not need one: the system itself must check the name.
  drive.beforeRename = () => renameSync(at('take.part'), at('take.bin'))
  const operations = createFileOperations(
    (file) => file,
    () => folder,
  )
  await operations.place(at('aside'), at('take.bin'))
  const contents = readdirSync(folder).map((name) => readFileSync(at(name), 'utf8'))
  expect(contents.sort()).toEqual(['new recording', 'ours'])
})

/** A share that has no links and does not check a name during a rename. */
const onSimpleShare = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-no-links-'))
  onTestFinished(() => {
    Object.assign(drive, { checksNames: true, beforeRename: () => {} })
    rmSync(folder, { recursive: true })
  })
  Object.assign(drive, { says: 'EPERM', checksNames: false })
  const at = (name: string) => path.join(folder, name)
  writeFileSync(at('aside'), 'ours')
  const operations = createFileOperations(
    (file) => file,
    () => folder,
  )
  return { folder, at, operations }
}

test('a kill before the rename leaves no empty file, so that the file still gets its own name', async () => {
  const { folder, at, operations } = onSimpleShare()
  let existed = true
  drive.beforeRename = (to) => {
    existed = existsSync(to)
  }
  expect(await operations.place(at('aside'), at('take.bin'))).toEqual({ kind: 'done' })
  expect(existed).toBe(false)
  expect(readdirSync(folder)).toEqual(['take.bin'])
  writeFileSync(at('aside'), 'ours')
  expect(await operations.place(at('aside'), at('take.bin'))).toEqual({ kind: 'taken' })
})

test('if the rename fails, a recorder that has just opened the name keeps its file', async () => {
  const { folder, at, operations } = onSimpleShare()
  drive.beforeRename = () => {
    writeFileSync(at('take.bin'), '')
    throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'rename' })
  }
  expect(await operations.place(at('aside'), at('take.bin'))).toMatchObject({ kind: 'refused' })
  expect(readdirSync(folder)).toEqual(['aside', 'take.bin'])
})
