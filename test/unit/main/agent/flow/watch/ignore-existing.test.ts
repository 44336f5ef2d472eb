import { afterEach, beforeEach, expect, test } from 'vitest'
import { WatchedFolders } from '../../../../../../main/agent/flow/watch/watched-folders.ts'
import type { Files } from '../../../../../../main/agent/ports/files.ts'
import type { FolderAccess } from '../../../../../../main/agent/ports/folders.ts'
import { linuxPaths } from '../../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../../shared/settings/settings.ts'
import { MemoryDrive } from '../../../../../support/memory-drive.ts'
import { openTempJournal, type TempJournal } from '../../../../../support/temp-journal.ts'

/** The first file of the drive is written at 1 ms, the second at 2 ms. */
let nowMs: number
let temp: TempJournal
let drive: MemoryDrive
beforeEach(() => {
  nowMs = 1
  temp = openTempJournal(() => nowMs, linuxPaths)
  drive = new MemoryDrive(linuxPaths)
})
afterEach(() => temp.close())

test('a recording that ends during the first scan does not count as existing', async () => {
  drive.write('/rec/old.wav')
  nowMs = 2
  const scan: FolderAccess['scan'] = async (folder, signal) => {
    if (nowMs === 2) drive.write('/rec/new.wav')
    nowMs = 60_001
    return drive.folderAccess.scan(folder, signal)
  }
  const watchedFolders = new WatchedFolders({
    journal: temp.journal,
    folderAccess: { ...drive.folderAccess, scan },
    // For these files, a watcher calls only `identify` and `presence`.
    files: drive.files as Files,
    clock: { wallMs: () => nowMs, monotonicMs: () => performance.now() },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    paths: linuxPaths,
    onState: () => {},
    reportError: (error) => {
      throw error
    },
  })
  const { folders } = settingsSchema.parse({
    service: { base_url: 'https://service.invalid' },
    folders: [{ path: '/rec', site: 'hall', ignore_existing: true }],
  })
  await watchedFolders.watch(folders)
  await expect.poll(() => watchedFolders.scanned, { interval: 5 }).toBe(true)
  await watchedFolders.stop()
  expect(temp.journal.views.everything().map(({ path }) => path)).toEqual(['/rec/new.wav'])
})
