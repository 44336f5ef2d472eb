import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Journal, openJournal, openJournalBeside } from '../../../../../main/agent/journal/journal.ts'

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

/** As kill -9 leaves it: the files of a journal that is open. */
const killed = (without: readonly string[] = []): string => {
  // An earlier run has left everything in the main file: it is a whole journal without its WAL, only an older one.
  openJournal(data, Date.now).journal.close()
  start(data)
  const copy = path.join(root, 'killed')
  cpSync(data, copy, { recursive: true })
  for (const name of without) rmSync(path.join(copy, name))
  return copy
}

test('a journal whose WAL was taken away after a crash is looked for at the service, as one that was restored', () => {
  const { journal, damage } = start(killed(['journal.db-wal', 'journal.db-shm']))
  expect(damage).not.toBeNull()
  expect(journal.station.rebuilt()).toBe(true)
})

test('also where somebody has looked at it since, which leaves an empty one', () => {
  const folder = killed(['journal.db-wal', 'journal.db-shm'])
  writeFileSync(path.join(folder, 'journal.db-wal'), '')
  expect(start(folder).damage).not.toBeNull()
})

test('a crash alone is no damage', () => {
  expect(start(killed()).damage).toBeNull()
})

test('nor is a WAL that a command put into the main file after a crash', () => {
  const folder = killed()
  openJournalBeside(folder, Date.now).close()
  expect(existsSync(path.join(folder, 'journal.db-wal'))).toBe(false)
  expect(start(folder).damage).toBeNull()
})

test('nor an orderly end', () => {
  openJournal(data, Date.now).journal.close()
  expect(existsSync(path.join(data, 'journal.db-wal'))).toBe(false)
  expect(start(data).damage).toBeNull()
})
