import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { linux, needs } from '../../../../../support/needs.ts'

/** Logs the calls to the drive, because their order decides which names survive a power cut. */
const drive = vi.hoisted(() => ({ calls: [] as string[], syncError: null as string | null }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const logCall = (call: string, file: string) => void drive.calls.push(`${call} ${path.basename(file)}`)
  return {
    ...real,
    link: async (from: string, to: string) => {
      await real.link(from, to)
      logCall('link', to)
    },
    unlink: async (file: string) => {
      await real.unlink(file)
      logCall('unlink', file)
    },
    mkdir: async (folder: string) => {
      await real.mkdir(folder)
      logCall('mkdir', folder)
    },
    open: async (...args: Parameters<typeof real.open>) => {
      const handle = await real.open(...args)
      const sync = handle.sync.bind(handle)
      handle.sync = async () => {
        logCall('sync', readlinkSync(`/proc/self/fd/${handle.fd}`))
        const code = drive.syncError
        if (code !== null) throw Object.assign(new Error(code), { code, syscall: 'fsync' })
        await sync()
      }
      return handle
    },
  }
})

// Test files of one worker share their modules, so an earlier file may have loaded this module without the mock.
vi.resetModules()
const { createFileOperations } = await import(
  '../../../../../../main/agent/platform/files/file-operations.ts'
)

const createStation = () => {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-power-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const pathOf = (...names: string[]) => path.join(root, ...names)
  for (const name of ['night', 'archive']) mkdirSync(pathOf(name))
  writeFileSync(pathOf('night', 'old.bin'), 'ours')
  Object.assign(drive, { calls: [], syncError: null })
  const operations = createFileOperations(
    (name) => name,
    () => root,
  )
  return { pathOf, operations }
}

test('the new name is on the drive before the old name is removed', needs(linux), async () => {
  const { pathOf, operations } = createStation()
  expect(await operations.place(pathOf('night', 'old.bin'), pathOf('archive', 'take.bin'))).toEqual({
    kind: 'done',
  })
  expect(drive.calls.slice(0, 3)).toEqual(['link take.bin', 'sync archive', 'unlink old.bin'])
  expect(drive.calls).toContain('sync night')
})

test('if the drive cannot write the new name, only the old name stays', needs(linux), async () => {
  const { pathOf, operations } = createStation()
  drive.syncError = 'EIO'
  expect(await operations.place(pathOf('night', 'old.bin'), pathOf('archive', 'take.bin'))).toMatchObject({
    kind: 'refused',
  })
  expect(readdirSync(pathOf('night'))).toEqual(['old.bin'])
  expect(readdirSync(pathOf('archive'))).toEqual([])
})

test.each(['EINVAL', 'ENOTSUP', 'EACCES', 'EPERM'])(
  'moves a file to a share that cannot sync a folder (%s)',
  needs(linux),
  async (errorCode) => {
    const { pathOf, operations } = createStation()
    drive.syncError = errorCode
    expect(await operations.place(pathOf('night', 'old.bin'), pathOf('archive', 'take.bin'))).toEqual({
      kind: 'done',
    })
  },
)

test('each new folder of an archive is on the drive before it gets content', needs(linux), async () => {
  const { pathOf, operations } = createStation()
  expect(await operations.makeFolder(pathOf('archive', 'day', 'deeper'))).toEqual({ kind: 'done' })
  expect(drive.calls).toEqual(
    expect.arrayContaining(['mkdir day', 'sync archive', 'mkdir deeper', 'sync day']),
  )
  expect(drive.calls.indexOf('sync archive')).toBeLessThan(drive.calls.indexOf('mkdir deeper'))
  drive.syncError = 'EIO'
  expect(await operations.makeFolder(pathOf('archive', 'next'))).toMatchObject({ kind: 'refused' })
})
