import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type Journal,
  openJournal,
  openJournalForCommand,
} from '../../../../../main/agent/journal/journal.ts'

let root: string
let dataFolder: string
let openJournals: Journal[]
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sluice-wal-'))
  dataFolder = path.join(root, 'data')
  mkdirSync(dataFolder)
  openJournals = []
})
afterEach(() => {
  for (const journal of openJournals) journal.close()
  rmSync(root, { recursive: true, force: true })
})

const openAndTrack = (folder: string) => {
  const result = openJournal(folder, Date.now)
  openJournals.push(result.journal)
  return result
}

/** Copies the files of an open journal, as kill -9 leaves them. */
const copyKilledJournal = (omittedFiles: readonly string[] = []): string => {
  // A clean exit leaves a complete main file, so the copy still looks complete without the WAL.
  openJournal(dataFolder, Date.now).journal.close()
  openAndTrack(dataFolder)
  const copy = path.join(root, 'killed')
  cpSync(dataFolder, copy, { recursive: true })
  for (const name of omittedFiles) rmSync(path.join(copy, name))
  return copy
}

test('a journal that lost its WAL after a crash counts as damaged', () => {
  const { damage } = openAndTrack(copyKilledJournal(['journal.db-wal', 'journal.db-shm']))
  expect(damage).not.toBeNull()
})

test('Sluice notices a lost WAL even if a reader has created an empty WAL since', () => {
  const folder = copyKilledJournal(['journal.db-wal', 'journal.db-shm'])
  writeFileSync(path.join(folder, 'journal.db-wal'), '')
  expect(openAndTrack(folder).damage).not.toBeNull()
})

test('a journal is not damaged after a crash', () => {
  expect(openAndTrack(copyKilledJournal()).damage).toBeNull()
})

test('a journal whose WAL was merged by a command after a crash is not damaged', () => {
  const folder = copyKilledJournal()
  openJournalForCommand(folder, Date.now).close()
  expect(existsSync(path.join(folder, 'journal.db-wal'))).toBe(false)
  expect(openAndTrack(folder).damage).toBeNull()
})

test('a journal is not damaged after a clean exit', () => {
  openJournal(dataFolder, Date.now).journal.close()
  expect(existsSync(path.join(dataFolder, 'journal.db-wal'))).toBe(false)
  expect(openAndTrack(dataFolder).damage).toBeNull()
})

/** Damages the journal, so that Sluice replaces it. Copies the new files as kill -9 leaves them. */
const copyKilledRecoveredJournal = (omittedFiles: readonly string[] = []): string => {
  writeFileSync(path.join(dataFolder, 'journal.db'), 'This is no database. '.repeat(100))
  expect(openAndTrack(dataFolder).damage).not.toBeNull()
  const copy = path.join(root, 'killed')
  cpSync(dataFolder, copy, { recursive: true })
  for (const name of omittedFiles) rmSync(path.join(copy, name))
  return copy
}

test('a journal that was recreated, and then lost its WAL, counts as damaged', () => {
  const folder = copyKilledRecoveredJournal(['journal.db-wal', 'journal.db-shm'])
  expect(openAndTrack(folder).damage).not.toBeNull()
})

test('a recreated journal that is missing at the next start counts as damaged', () => {
  const folder = copyKilledRecoveredJournal()
  for (const name of ['journal.db', 'journal.db-wal', 'journal.db-shm']) rmSync(path.join(folder, name))
  expect(openAndTrack(folder).damage).not.toBeNull()
})

test('a journal that was restored from its backup, and then lost its WAL, counts as damaged', async () => {
  const { journal } = openJournal(dataFolder, Date.now)
  await journal.backup()
  journal.close()
  const folder = copyKilledRecoveredJournal(['journal.db-wal', 'journal.db-shm'])
  expect(openAndTrack(folder).damage).not.toBeNull()
})
