import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../../../main/agent/journal/database.ts'
import { openJournal } from '../../../../../main/agent/journal/journal.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-first-start-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const isRebuilt = (dataFolder = folder) => {
  const { journal } = openJournal(dataFolder, () => 0, linuxPaths)
  const rebuilt = journal.station.rebuilt()
  journal.close()
  return rebuilt
}

test('a kill during the first start does not hide that sessions may exist', () => {
  const live = path.join(folder, 'live')
  mkdirSync(live)
  const { db } = openDatabase(live, 0, linuxPaths)
  // The files as a kill leaves them, before the new journal has recorded anything.
  const killed = path.join(folder, 'killed')
  cpSync(live, killed, { recursive: true })
  db.close()
  expect(isRebuilt(killed)).toBe(true)
})

test('a later start of the same journal is not a rebuild', () => {
  const { journal } = openJournal(folder, () => 0, linuxPaths)
  journal.station.setRebuilt(false)
  journal.close()
  expect(isRebuilt()).toBe(false)
})
