import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proveFirstStart, proveStart } from '../../../../../main/agent/assembly/prove-start.ts'
import { openJournal } from '../../../../../main/agent/journal/journal.ts'
import { migrations } from '../../../../../main/agent/journal/migrations.ts'
import { isFirstStartOfVersion, proveJournal } from '../../../../../main/agent/journal/prove-journal.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { isLong } from '../../../../support/runs.ts'

const SCHEMA_3 = path.join(import.meta.dirname, 'journals/schema-3.sql')
const NOW_MS = Date.parse('2026-11-15T08:00:00Z')
const clock = { wallMs: () => NOW_MS, monotonicMs: () => NOW_MS }
const silent = { info: () => {}, warn: () => {}, error: () => {} }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-trial-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const digest = () =>
  createHash('sha256')
    .update(readFileSync(path.join(folder, 'journal.db')))
    .digest('hex')

/** A journal of an earlier version. Its 20 recordings cover every state. */
const writeOldJournal = () => {
  const db = new Database(path.join(folder, 'journal.db'))
  db.exec(readFileSync(SCHEMA_3, 'utf8'))
  db.close()
  writeFileSync(path.join(folder, 'journal.made'), '')
}

const start = (version = '2.0.0') => ({ dataFolder: folder, version, clock, paths: linuxPaths })

test('a version that can use the journal passes the proof and changes nothing', () => {
  writeOldJournal()
  const before = digest()
  expect(proveStart(start())).toEqual({ kind: 'passed' })
  expect(digest()).toBe(before)
  expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual([
    'journal.db',
    'journal.made',
  ])
})

test('a version that cannot use the journal changes nothing, and names the version to install', () => {
  writeOldJournal()
  const db = new Database(path.join(folder, 'journal.db'))
  // A migration creates a table with this name, so the migration fails.
  db.exec('CREATE TABLE inspections (nonsense TEXT)')
  db.close()
  const before = digest()
  expect(() => proveFirstStart(start(), silent)).toThrow(
    /^Sluice 2.0.0 cannot use the journal of this station: .*inspections.* It has changed nothing. Install /,
  )
  expect(digest()).toBe(before)
  expect(readdirSync(folder)).not.toContain('journal-trial')
})

test('a version that loses rows fails the proof', () => {
  writeOldJournal()
  const proof = proveJournal({
    dataFolder: folder,
    wallMs: clock.wallMs,
    paths: linuxPaths,
    firstSteps: () => {
      const copy = new Database(path.join(folder, 'journal-trial/journal.db'))
      copy.exec('DELETE FROM parts; DELETE FROM timeline; DELETE FROM recordings')
      copy.close()
    },
  })
  expect(proof).toMatchObject({ kind: 'failed', reason: expect.stringContaining('instead of 20') })
})

test('the proof leaves a damaged journal to the ordinary start, which repairs it', () => {
  writeFileSync(
    path.join(folder, 'journal.db'),
    'this is no database, and long enough to look like one '.repeat(50),
  )
  expect(proveStart(start())).toMatchObject({ kind: 'skipped' })
})

test('the files that a killed proof leaves behind do not stop the next proof', () => {
  writeOldJournal()
  mkdirSync(path.join(folder, 'journal-trial'))
  for (const name of ['journal.db', 'journal.db-wal', 'journal.rebuilding'])
    writeFileSync(path.join(folder, 'journal-trial', name), 'half')
  expect(proveStart(start()).kind).toBe('passed')
  expect(readdirSync(folder)).not.toContain('journal-trial')
})

describe('a proof is due', () => {
  test('before the first start of a different version, but not before the very first start of Sluice', () => {
    expect(isFirstStartOfVersion(folder, '1.0.0')).toBe(false)
    const { journal } = openJournal(folder, clock.wallMs, linuxPaths)
    journal.activity.remember('version', '1.0.0')
    journal.close()
    expect(isFirstStartOfVersion(folder, '1.0.0')).toBe(false)
    expect(isFirstStartOfVersion(folder, '1.1.0')).toBe(true)
    expect(isFirstStartOfVersion(folder, null)).toBe(false)
  })

  test('before a migration', () => {
    writeOldJournal()
    expect(isFirstStartOfVersion(folder, null)).toBe(true)
  })
})

test('a journal of an earlier schema passes the proof, opens and keeps its recording', () => {
  // Tests schema 1 and the four newest schemas; `npm test -- long` tests all.
  const versions = migrations.map((_, index) => index + 1)
  for (const version of isLong ? versions : [1, ...versions.slice(-4)]) {
    rmSync(folder, { recursive: true, force: true })
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-trial-'))
    const db = new Database(path.join(folder, 'journal.db'))
    db.function('key_of_path', { deterministic: true }, (value) => linuxPaths.key(String(value)))
    db.exec(migrations[0] ?? '')
    db.exec(`INSERT INTO recordings (path, name, folder, site, state, file_device, file_inode, bytes, mtime_ns, ctime_ns,
      found_at, changed_at) VALUES ('/rec/take.bin', 'take.bin', '/rec', 'Hall 3', 'queued', '1', '2', 1000, '3', '4',
      ${NOW_MS}, ${NOW_MS})`)
    for (const migration of migrations.slice(1, version)) db.exec(migration)
    db.pragma(`user_version = ${version}`)
    db.pragma(`application_id = ${0x534c5549}`)
    db.close()
    writeFileSync(path.join(folder, 'journal.made'), '')

    expect(proveStart(start()), `schema ${version}`).toEqual({ kind: 'passed' })
    const { journal, damage } = openJournal(folder, clock.wallMs, linuxPaths)
    expect(damage, `schema ${version}`).toBeNull()
    expect(journal.views.everything(), `schema ${version}`).toMatchObject([{ path: '/rec/take.bin' }])
    journal.close()
  }
})
