import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { batchesOf, openFolder } from '../../../../../../main/agent/platform/folders/folder-entries.ts'
import { until } from '../../../../../support/station.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sluice-entries-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const createFolder = (files: number): string => {
  const folder = path.join(root, String(files))
  mkdirSync(folder)
  for (let file = 0; file < files; file += 1) writeFileSync(path.join(folder, `take-${file}.bin`), '')
  return folder
}

const isClosed = async (folder: Awaited<ReturnType<typeof openFolder>>): Promise<boolean> =>
  folder.read().then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ERR_DIR_CLOSED',
  )

describe.each([
  ['on a drive that answers at once', true],
  ['on a drive that may hang', false],
])('a folder %s', (_, maySyncRead) => {
  // A batch has 128 entries.
  test.each([0, 1, 127, 128, 129, 255, 256, 257, 1_000])(
    'with %i files is listed without a missing or repeated file, and is closed',
    async (files) => {
      const folder = createFolder(files)
      const directory = await openFolder(folder)
      const names: string[] = []
      for await (const batch of batchesOf(directory, maySyncRead))
        names.push(...batch.map((entry) => entry.name.toString()))
      expect(names.sort()).toEqual(readdirSync(folder).sort())
      expect(await isClosed(directory)).toBe(true)
    },
  )

  test('is closed when the caller stops early', async () => {
    const directory = await openFolder(createFolder(500))
    for await (const _batch of batchesOf(directory, maySyncRead)) break
    await until('the folder is closed', () => isClosed(directory))
  })

  test('is closed when the caller throws', async () => {
    const directory = await openFolder(createFolder(500))
    const readAndThrow = async () => {
      for await (const _batch of batchesOf(directory, maySyncRead)) throw new Error('enough')
    }
    await expect(readAndThrow()).rejects.toThrow('enough')
    await until('the folder is closed', () => isClosed(directory))
  })
})

test('skips no entry while Node still finishes the previous read', async () => {
  const directory = await openFolder(createFolder(300))
  const busy = Object.assign(new Error('busy'), { code: 'ERR_DIR_CONCURRENT_OPERATION' })
  let isBusy = false
  const entries: typeof directory = Object.assign(Object.create(directory), {
    read: () => directory.read(),
    readSync: () => {
      isBusy = !isBusy
      if (isBusy) throw busy
      return directory.readSync()
    },
    close: () => directory.close(),
  })
  let files = 0
  for await (const batch of batchesOf(entries, true)) files += batch.length
  expect(files).toBe(300)
})
