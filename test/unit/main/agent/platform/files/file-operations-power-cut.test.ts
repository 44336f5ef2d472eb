import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { linux, needs } from '../../../../../support/needs.ts'

/** The order of the calls decides which names survive a power cut. */
const drive = vi.hoisted(() => ({ calls: [] as string[], syncSays: null as string | null }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const noted = (call: string, file: string) => void drive.calls.push(`${call} ${path.basename(file)}`)
  return {
    ...real,
    link: async (from: string, to: string) => {
      await real.link(from, to)
      noted('link', to)
    },
    unlink: async (file: string) => {
      await real.unlink(file)
      noted('unlink', file)
    },
    mkdir: async (folder: string) => {
      await real.mkdir(folder)
      noted('mkdir', folder)
    },
    open: async (...args: Parameters<typeof real.open>) => {
      const handle = await real.open(...args)
      const sync = handle.sync.bind(handle)
      handle.sync = async () => {
        noted('sync', readlinkSync(`/proc/self/fd/${handle.fd}`))
        const code = drive.syncSays
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

const stationWith = () => {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-power-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const at = (...names: string[]) => path.join(root, ...names)
  for (const name of ['night', 'archive']) mkdirSync(at(name))
  writeFileSync(at('night', 'aside'), 'ours')
  Object.assign(drive, { calls: [], syncSays: null })
  const operations = createFileOperations(
    (name) => name,
    () => root,
  )
  return { at, operations }
}

test('the new name is on the drive before the old one is removed', needs(linux), async () => {
  const { at, operations } = stationWith()
  expect(await operations.place(at('night', 'aside'), at('archive', 'take.bin'))).toEqual({ kind: 'done' })
  expect(drive.calls.slice(0, 3)).toEqual(['link take.bin', 'sync archive', 'unlink aside'])
  expect(drive.calls).toContain('sync night')
})

test('a drive that cannot write the new name keeps the old one, and only that', needs(linux), async () => {
  const { at, operations } = stationWith()
  drive.syncSays = 'EIO'
  expect(await operations.place(at('night', 'aside'), at('archive', 'take.bin'))).toMatchObject({
    kind: 'refused',
  })
  expect(readdirSync(at('night'))).toEqual(['aside'])
  expect(readdirSync(at('archive'))).toEqual([])
})

test.each(['EINVAL', 'ENOTSUP', 'EACCES', 'EPERM'])(
  'a share that cannot sync a folder (%s) is still used',
  needs(linux),
  async (says) => {
    const { at, operations } = stationWith()
    drive.syncSays = says
    expect(await operations.place(at('night', 'aside'), at('archive', 'take.bin'))).toEqual({ kind: 'done' })
  },
)

test(
  'each new folder of an archive is on the drive before anything is put into it',
  needs(linux),
  async () => {
    const { at, operations } = stationWith()
    expect(await operations.makeFolder(at('archive', 'day', 'deeper'))).toEqual({ kind: 'done' })
    expect(drive.calls).toEqual(
      expect.arrayContaining(['mkdir day', 'sync archive', 'mkdir deeper', 'sync day']),
    )
    expect(drive.calls.indexOf('sync archive')).toBeLessThan(drive.calls.indexOf('mkdir deeper'))
    drive.syncSays = 'EIO'
    expect(await operations.makeFolder(at('archive', 'next'))).toMatchObject({ kind: 'refused' })
  },
)
