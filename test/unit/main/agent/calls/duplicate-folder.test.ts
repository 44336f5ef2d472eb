import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkFolder } from '../../../../../main/agent/calls/folder-check.ts'
import { SettingsStore } from '../../../../../main/station-store/settings-store.ts'
import { linuxPaths, macPaths, type Paths, windowsPaths } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { MemoryDrive } from '../../../../support/memory-drive.ts'
import { readSettings } from '../../../../support/read-settings.ts'

let dataFolder: string
beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'sluice-twice-'))
})
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }))

const settingsWith = (...folders: readonly string[]) => ({
  service: { base_url: 'https://service.invalid' },
  folders: folders.map((folder) => ({ path: folder, site: 'hall' })),
})
const readFoldersFromFile = (paths: Paths, ...folders: readonly string[]) => {
  const file = path.join(dataFolder, 'settings.json')
  writeFileSync(file, JSON.stringify(settingsWith(...folders)))
  return readSettings(file, {}, paths).settings.folders.map((folder) => folder.path)
}
const saveFolders = (paths: Paths, ...folders: readonly string[]) =>
  new SettingsStore(dataFolder, { refusal: () => null, paths }).save(settingsWith(...folders))

const duplicateMessage = 'Two spellings of one folder, c:\\REC and C:\\rec: remove one of them.'

test('a headless agent refuses a settings file with two spellings of one folder', () => {
  expect(() => readFoldersFromFile(windowsPaths, 'C:\\rec', 'c:/REC/')).toThrow(
    `folders[1].path: ${duplicateMessage}`,
  )
  expect(() => readFoldersFromFile(windowsPaths, 'C:\\rec', '\\\\?\\c:\\REC')).toThrow(
    `folders[1].path: ${duplicateMessage}`,
  )
  expect(() => readFoldersFromFile(macPaths, '/Volumes/Tür', '/volumes/tu\u0308r')).toThrow(
    'Two spellings of one folder',
  )
  expect(readFoldersFromFile(linuxPaths, '/rec', '/REC')).toEqual(['/rec', '/REC'])
  expect(readFoldersFromFile(windowsPaths, 'C:\\rec', 'D:\\rec', 'D:\\')).toEqual([
    'C:\\rec',
    'D:\\rec',
    'D:\\',
  ])
})

test('the window refuses to save two spellings of one folder', () => {
  expect(saveFolders(windowsPaths, 'C:\\rec', 'c:\\REC')).toEqual({
    ok: false,
    issues: [{ path: 'folders.1.path', message: duplicateMessage }],
  })
  expect(saveFolders(linuxPaths, '/rec', '/REC')).toEqual({ ok: true })
})

test('a new relative path is refused, but an existing one does not block other changes in the window', () => {
  const refusal = [
    { path: 'folders.0.path', message: 'Give the full path, starting at the root of the drive.' },
  ]
  expect(saveFolders(linuxPaths, 'rec')).toEqual({ ok: false, issues: refusal })
  expect(saveFolders(windowsPaths, '\\rec')).toEqual({ ok: false, issues: refusal })
  expect(() => readFoldersFromFile(windowsPaths, 'C:rec')).toThrow('folders[0].path: Give the full path')
  writeFileSync(path.join(dataFolder, 'settings.json'), JSON.stringify(settingsWith('rec')))
  const store = new SettingsStore(dataFolder, { refusal: () => null, paths: linuxPaths })
  store.load()
  expect(store.save({ ...store.state.settings, app: { theme: 'dark' } })).toEqual({ ok: true })
})

test('two spellings of one folder in the settings do not block other changes, but a third spelling is refused', () => {
  const file = path.join(dataFolder, 'settings.json')
  writeFileSync(file, JSON.stringify(settingsWith('C:\\rec', 'c:\\REC')))
  const store = new SettingsStore(dataFolder, { refusal: () => null, paths: windowsPaths })
  store.load()
  const { settings, problem } = store.state
  expect(problem).toBeNull()
  expect(store.save({ ...settings, app: { theme: 'dark' } })).toEqual({ ok: true })
  const [first] = settings.folders
  expect(
    store.save({ ...settings, folders: [...settings.folders, { ...first, path: 'C:\\Rec' }] }),
  ).toMatchObject({
    ok: false,
    issues: [{ path: 'folders.2.path' }],
  })
})

describe('choosing a folder in the window', () => {
  const checkChosen = (chosen: string, paths: Paths, ...watched: readonly string[]) =>
    checkFolder(
      chosen,
      settingsSchema.parse(settingsWith(...watched)).folders,
      new MemoryDrive(paths).folderAccess,
      paths,
    )

  test('compares paths by the rules of Windows', async () => {
    expect(await checkChosen('c:/REC', windowsPaths, 'D:\\', 'C:\\rec')).toEqual({
      ok: false,
      reason: 'This folder is already watched: C:\\rec and c:\\REC are the same folder.',
    })
  })

  test.each([
    ['D:\\', 'This is a whole drive.'],
    ['d:', 'This is a whole drive.'],
    ['D:\\$Recycle.Bin\\S-1-5-21', 'This folder is reserved for the operating system.'],
    ['rec', 'Give the full path'],
    ['\\rec', 'Give the full path'],
  ])('refuses %j on Windows', async (chosen, reason) => {
    expect(await checkChosen(chosen, windowsPaths)).toEqual({
      ok: false,
      reason: expect.stringContaining(reason),
    })
  })
})
