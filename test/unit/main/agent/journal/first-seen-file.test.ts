import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../../../main/agent/journal/journal.ts'
import { linuxPaths, windowsPaths } from '../../../../../shared/paths/paths.ts'
import { needs, posix } from '../../../../support/needs.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const volume = { device: '1', inode: '2' }
const otherVolume = { device: '1', inode: '3' }

let temp: TempJournal
let journal: Journal
beforeEach(() => {
  temp = openTempJournal(() => 1, linuxPaths)
  journal = temp.journal
})
afterEach(() => {
  if (journal !== temp.journal) journal.close()
  temp.close()
})

const file = () => path.join(temp.folder, 'first-seen.json')
const reopen = (paths = linuxPaths) => {
  journal.close()
  journal = openJournal(temp.folder, () => 1, paths).journal
}
const loseJournal = (paths = linuxPaths) => {
  journal.close()
  for (const name of readdirSync(temp.folder))
    if (name.startsWith('journal')) rmSync(path.join(temp.folder, name))
  reopen(paths)
}

test('the time when a folder was first seen survives the loss of the journal', () => {
  journal.volumes.setVolume('/rec', volume, 500)
  loseJournal()
  expect(journal.volumes.firstSeenAtMs('/rec')).toBe(500)
  expect(journal.volumes.firstSeenAtMs('/other')).toBeNull()
  // The new journal does not know the bytes of earlier hours, so the forecast ignores these hours.
  journal.volumes.setVolume('/rec', otherVolume, 900)
  expect(journal.volumes.firstSeenAtMs('/rec')).toBe(500)
  expect(journal.rates.watchedSinceMs(['/rec'])).toBe(900)
  loseJournal()
  expect(journal.volumes.firstSeenAtMs('/rec')).toBe(500)
})

test('a second spelling of the path is the same folder', () => {
  reopen(windowsPaths)
  journal.volumes.setVolume('C:\\rec', volume, 500)
  loseJournal(windowsPaths)
  expect(journal.volumes.firstSeenAtMs('c:\\REC')).toBe(500)
})

test.each([
  ['missing', () => rmSync(file())],
  ['cut off', () => writeFileSync(file(), '[{"path":"/rec","firstSee')],
  ['of a different form', () => writeFileSync(file(), '[{"path":"/rec","firstSeenAtMs":"500"}]')],
  ['too large', () => writeFileSync(file(), `[${' '.repeat(9_000_000)}]`)],
])('`first-seen.json` is written again from the journal if it is %s', (_, damage) => {
  journal.volumes.setVolume('/rec', volume, 500)
  const content = readFileSync(file(), 'utf8')
  damage()
  reopen()
  expect(journal.volumes.firstSeenAtMs('/rec')).toBe(500)
  expect(readFileSync(file(), 'utf8')).toBe(content)
})

test('after the loss of the journal, a damaged `first-seen.json` counts as missing', () => {
  journal.volumes.setVolume('/rec', volume, 500)
  writeFileSync(file(), 'x')
  loseJournal()
  expect(journal.volumes.firstSeenAtMs('/rec')).toBeNull()
})

test('the journal works even if `first-seen.json` cannot be written', () => {
  mkdirSync(file())
  journal.volumes.setVolume('/rec', volume, 500)
  expect(journal.volumes.firstSeenAtMs('/rec')).toBe(500)
  expect(readdirSync(temp.folder)).not.toContain('first-seen.json.new')
})

test('only the owner may read `first-seen.json`', needs(posix), () => {
  journal.volumes.setVolume('/rec', volume, 500)
  expect(statSync(file()).mode & 0o777).toBe(0o600)
})

test('`first-seen.json` keeps the newest thousand folders', () => {
  const folders = Array.from({ length: 1_000 }, (_, n) => ({ path: `/rec/${n}`, firstSeenAtMs: n }))
  writeFileSync(file(), JSON.stringify(folders))
  reopen()
  journal.volumes.setVolume('/rec/new', volume, 5_000)
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toHaveLength(1_000)
  loseJournal()
  expect(['0', '1', '999', 'new'].map((name) => journal.volumes.firstSeenAtMs(`/rec/${name}`))).toEqual([
    null,
    1,
    999,
    5_000,
  ])
})

test('a `first-seen.json` that cannot be read is not overwritten', needs(posix), () => {
  journal.volumes.setVolume('/rec', volume, 500)
  renameSync(file(), `${file()}.kept`)
  // A link to itself cannot be opened.
  symlinkSync(file(), file())
  loseJournal()
  journal.volumes.setVolume('/rec', otherVolume, 900)
  expect(lstatSync(file()).isSymbolicLink()).toBe(true)
  renameSync(`${file()}.kept`, file())
  expect(journal.volumes.firstSeenAtMs('/rec')).toBe(500)
})
