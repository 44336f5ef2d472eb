import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { actOnPaths } from '../../../../../../main/agent/calls/path-commands.ts'
import { WatchedFolders } from '../../../../../../main/agent/flow/watch/watched-folders.ts'
import type { Journal } from '../../../../../../main/agent/journal/journal.ts'
import type { Files } from '../../../../../../main/agent/ports/files.ts'
import { createFolderOf } from '../../../../../../main/agent/stage/folder-of.ts'
import { withJournal } from '../../../../../../main/cli/journal-commands.ts'
import { systemClock } from '../../../../../../shared/clock/clock.ts'
import { windowsPaths } from '../../../../../../shared/paths/paths.ts'
import { type SettingsInput, settingsSchema } from '../../../../../../shared/settings/settings.ts'
import { MemoryDrive } from '../../../../../support/memory-drive.ts'
import { openTempJournal, type TempJournal } from '../../../../../support/temp-journal.ts'

/** Runs the real watchers and journal with the path rules of Windows, on any system. */

let temp: TempJournal
let journal: Journal
let drive: MemoryDrive
let watchedFolders: WatchedFolders
beforeEach(() => {
  temp = openTempJournal(Date.now, windowsPaths)
  journal = temp.journal
  drive = new MemoryDrive(windowsPaths)
  watchedFolders = new WatchedFolders({
    journal,
    folderAccess: drive.folderAccess,
    // For these files, the watchers call only `identify` and `presence`.
    files: drive.files as Files,
    clock: systemClock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    paths: windowsPaths,
    onState: () => {},
    reportError: (error) => {
      throw error
    },
  })
})
afterEach(async () => {
  await watchedFolders.stop()
  temp.close()
})

const waitForScan = () => expect.poll(() => watchedFolders.scanned, { interval: 5 }).toBe(true)
const settingsOf = (folders: SettingsInput['folders']) =>
  settingsSchema.parse({ service: { base_url: 'https://service.invalid' }, folders })
const watch = async (...folders: NonNullable<SettingsInput['folders']>) => {
  await watchedFolders.watch(settingsOf(folders).folders)
  await waitForScan()
}
const rescan = async () => {
  watchedFolders.rescan()
  await waitForScan()
}
const listRecordings = () =>
  journal.views.everything().map(({ path, site, state }) => ({ path, site, state }))

test('a file in a folder with two spellings is one recording', async () => {
  drive.write('C:\\rec\\a.wav')
  await watch({ path: 'C:\\rec', site: 'one' }, { path: 'c:\\REC', site: 'two' })
  expect(listRecordings()).toEqual([{ path: 'C:\\rec\\a.wav', site: 'one', state: 'growing' }])
})

test('a folder inside a watched folder keeps its own settings, in any letter case', async () => {
  drive.write('C:\\rec\\a.wav')
  drive.write('C:\\Rec\\Inner\\b.wav')
  drive.write('C:\\Rec\\Inner\\b.tmp')
  await watch(
    { path: 'C:\\rec', site: 'outer', exclude: [] },
    { path: 'c:\\REC\\inner', site: 'inner', exclude: ['*.tmp'] },
  )
  expect(listRecordings().map(({ path, site }) => [windowsPaths.nameOf(path), site])).toEqual(
    expect.arrayContaining([
      ['a.wav', 'outer'],
      ['b.wav', 'inner'],
    ]),
  )
  expect(listRecordings()).toHaveLength(2)
})

const figures = () => journal.views.figures({ service: null, sending: true })

test('a folder path in a different letter case adds no recordings and keeps the history of the folder', async () => {
  drive.write('C:\\rec\\a.wav')
  drive.write('C:\\rec\\take\\b.wav')
  await watch({ path: 'C:\\rec', site: 'hall' })
  const before = journal.views.everything()
  const volume = journal.volumes.volumeOf('C:\\rec')
  await watch({ path: 'c:/REC/', site: 'hall' })
  expect(journal.views.everything()).toEqual(before)
  expect(journal.volumes.volumeOf('c:\\REC')).toEqual(volume)
  expect(figures().folder('c:\\REC')).toMatchObject({ recordings: 2 })
  expect(
    createFolderOf(() => settingsOf([{ path: 'c:\\REC', site: 'hall' }]), windowsPaths)('C:\\rec')?.site,
  ).toBe('hall')
  drive.write('C:\\rec\\c.wav')
  drive.delete('C:\\rec\\a.wav')
  await rescan()
  expect(figures().folder('C:\\rec')).toMatchObject({ recordings: 3 })
  expect(listRecordings().map(({ path, state }) => [windowsPaths.nameOf(path), state])).toEqual([
    ['a.wav', 'gone'],
    ['b.wav', 'growing'],
    ['c.wav', 'growing'],
  ])
})

test('existing files stay ignored when the settings spell the folder in a different case', async () => {
  drive.write('C:\\rec\\old.wav')
  await watch({ path: 'C:\\rec', site: 'hall', ignore_existing: true })
  const firstSeenAtMs = journal.volumes.volumeOf('C:\\rec')?.firstSeenAtMs
  await watch({ path: 'C:\\REC', site: 'hall', ignore_existing: true })
  expect(journal.volumes.volumeOf('C:\\REC')?.firstSeenAtMs).toBe(firstSeenAtMs)
  expect(listRecordings()).toEqual([])
})

test('a file renamed only in letter case stays the same recording', async () => {
  drive.write('C:\\rec\\take.wav')
  await watch({ path: 'C:\\rec', site: 'hall' })
  drive.rename('C:\\rec\\take.wav', 'C:\\rec\\TAKE.wav')
  await rescan()
  expect(listRecordings()).toEqual([{ path: 'C:\\rec\\take.wav', site: 'hall', state: 'growing' }])
})

test('a watched drive respects the settings of an inner folder and skips system folders', async () => {
  drive.write('D:\\a.wav')
  drive.write('D:\\in\\b.wav')
  drive.write('D:\\in\\private.wav')
  drive.write('D:\\$Recycle.Bin\\S-1-5-21\\thrown-away.wav')
  drive.write('D:\\System Volume Information\\index.wav')
  await watch({ path: 'D:\\', site: 'drive' }, { path: 'd:\\IN', site: 'inner', exclude: ['private*'] })
  expect(
    listRecordings()
      .map(({ path, site }) => [windowsPaths.key(path), site])
      .sort(),
  ).toEqual([
    ['D:\\A.WAV', 'drive'],
    ['D:\\IN\\B.WAV', 'inner'],
  ])
})

test('retry finds a file in any letter case', async () => {
  drive.write('C:\\rec\\a.wav')
  await watch({ path: 'C:\\rec', site: 'hall' })
  const [recording] = journal.views.everything()
  const retry = (file: string) =>
    withJournal(
      temp.folder,
      (journal) => actOnPaths(journal, { action: 'retry', paths: [windowsPaths.resolve('C:\\', file)] }),
      windowsPaths,
    )
  retry('\\\\?\\c:\\REC\\A.wav')
  expect(journal.views.timeline(recording!.id).map(({ reason }) => reason)).toContain('retried by user')
  expect(() => retry('C:\\rec\\b.wav')).toThrow('The journal has no recording')
})

describe('in a case-sensitive folder', () => {
  beforeEach(() => {
    drive.isCaseSensitive = true
  })

  test('two files whose names differ only in letter case stay two recordings', async () => {
    drive.write('C:\\rec\\a.wav')
    await watch({ path: 'C:\\rec', site: 'hall' })
    drive.write('C:\\rec\\A.wav')
    await rescan()
    const before = listRecordings()
    await rescan()
    expect(listRecordings()).toEqual(before)
    expect(before.map(({ path }) => path).sort()).toEqual(['C:\\rec\\A.wav', 'C:\\rec\\a.wav'])
    drive.delete('C:\\rec\\a.wav')
    await rescan()
    expect(
      listRecordings()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['gone', 'growing'])
  })

  test('a file renamed only in letter case gets its new path, so that Sluice can open it', async () => {
    drive.write('C:\\rec\\a.wav')
    await watch({ path: 'C:\\rec', site: 'hall' })
    drive.rename('C:\\rec\\a.wav', 'C:\\rec\\A.wav')
    await rescan()
    expect(listRecordings()).toEqual([{ path: 'C:\\rec\\A.wav', site: 'hall', state: 'growing' }])
  })
})
