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
let data: string
let open: Journal[]
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sluice-wal-'))
  data = path.join(root, 'data')
  mkdirSync(data)
  open = []
})
afterEach(() => {
  for (const journal of open) journal.close()
  rmSync(root, { recursive: true, force: true })
})

const start = (folder: string) => {
  const opened = openJournal(folder, Date.now)
  open.push(opened.journal)
  return opened
}

/** The files of an open journal, as kill -9 leaves them. */
const copyOfKilledJournal = (without: readonly string[] = []): string => {
  // After an earlier clean exit, the main file alone is a complete but older journal.
  openJournal(data, Date.now).journal.close()
  start(data)
  const copy = path.join(root, 'killed')
  cpSync(data, copy, { recursive: true })
  for (const name of without) rmSync(path.join(copy, name))
  return copy
}

test('a journal that lost its WAL after a crash counts as rebuilt', () => {
  const { damage } = start(copyOfKilledJournal(['journal.db-wal', 'journal.db-shm']))
  expect(damage).not.toBeNull()
})

test('a lost WAL is noticed even if a reader has left an empty one since', () => {
  const folder = copyOfKilledJournal(['journal.db-wal', 'journal.db-shm'])
  writeFileSync(path.join(folder, 'journal.db-wal'), '')
  expect(start(folder).damage).not.toBeNull()
})

test('a crash is not damage', () => {
  expect(start(copyOfKilledJournal()).damage).toBeNull()
})

test('a WAL that a command merged after a crash is not damage', () => {
  const folder = copyOfKilledJournal()
  openJournalForCommand(folder, Date.now).close()
  expect(existsSync(path.join(folder, 'journal.db-wal'))).toBe(false)
  expect(start(folder).damage).toBeNull()
})

test('a clean exit is not damage', () => {
  openJournal(data, Date.now).journal.close()
  expect(existsSync(path.join(data, 'journal.db-wal'))).toBe(false)
  expect(start(data).damage).toBeNull()
})
