import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal, type Recording } from '../../../../../main/agent/journal/journal.ts'
import { migrations } from '../../../../../main/agent/journal/migrations.ts'
import { backUpSchema } from '../../../../../main/agent/journal/schema-backup.ts'
import { windowsPaths } from '../../../../../shared/paths/paths.ts'
import { recordingStates } from '../../../../../shared/status/status.ts'
import { mountedDisk, needs } from '../../../../support/needs.ts'

const SCHEMA_3 = path.join(import.meta.dirname, 'journals/schema-3.sql')
const NOW_MS = Date.parse('2026-11-15T08:00:00Z')

let folder: string
let journal: Journal
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-takeover-'))
  const oldJournal = new Database(path.join(folder, 'journal.db'))
  oldJournal.exec(readFileSync(SCHEMA_3, 'utf8'))
  oldJournal.close()
  writeFileSync(path.join(folder, 'journal.made'), '')
  const opened = openJournal(folder, () => NOW_MS)
  expect(opened.damage).toBeNull()
  journal = opened.journal
})
afterEach(() => {
  journal.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Counts the recordings by state, without the totals that the journal stores. */
const countRows = () => {
  const counts: Record<string, number> = Object.fromEntries(recordingStates.map((state) => [state, 0]))
  for (const { state } of journal.views.everything()) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

const recordingNamed = (name: string): Recording => {
  const recording = journal.recordings.currentByPath(`/rec/${name}.bin`)
  if (recording === null) throw new Error(`${name} is gone from the journal`)
  return recording
}

test('migrating an old journal keeps every recording in its state', () => {
  expect(journal.views.everything()).toHaveLength(20)
  for (const state of [
    'growing',
    'queued',
    'hashing',
    'ready',
    'uploading',
    'completing',
    'processing',
    'processed',
  ] as const)
    expect(recordingNamed(state)).toMatchObject({ state, problem: null, attempts: 0 })
  expect(recordingNamed('failed')).toMatchObject({
    state: 'failed',
    problem: { code: 'processing-failed', endsBy: 'person', requestId: 'req_2', param: null },
  })
  expect(recordingNamed('gone')).toMatchObject({
    state: 'gone',
    problem: { code: 'file-vanished', endsBy: 'file' },
  })
})

test.each([
  ['blocked-growing', 'growing'],
  ['blocked-queued', 'queued'],
  ['blocked-hashing', 'queued'],
  ['blocked-ready', 'ready'],
  ['blocked-uploading', 'uploading'],
  ['blocked-completing', 'completing'],
  ['blocked-processing', 'processing'],
  ['blocked-dismissed', 'uploading'],
  ['blocked-twice', 'uploading'],
] as const)('after the migration, %s continues at once in the state %s', (name, state) => {
  expect(recordingNamed(name)).toMatchObject({ state, problem: null, nextAttemptAtMs: 0, attempts: 0 })
  for (const { from, to } of journal.views.timeline(recordingNamed(name).id))
    expect([from, to]).not.toContain('blocked')
})

test('after a migration, Sluice requests refused sessions again, and keeps complete sessions and ETags', () => {
  expect(recordingNamed('blocked-ready')).toMatchObject({ createKey: null, sessionId: null })
  expect(recordingNamed('blocked-processing')).toMatchObject({ sessionId: 'ses_blocked-processing' })
  expect(recordingNamed('processing').completeKey).not.toBeNull()
  expect(recordingNamed('processing').completeKeyAtMs).not.toBeNull()
  expect(journal.parts.of(recordingNamed('uploading').id).map(({ etag }) => etag)).toEqual([
    '"one"',
    null,
    null,
  ])
  expect(journal.givenUp.count()).toEqual({ all: 1, untried: 1 })
  expect(journal.station.trustedKey()).toBe('fingerprint')
  expect(journal.station.conditions()).toEqual([])
  const figures = journal.views.figures({ service: null, sending: true })
  expect(figures.standings()['needs-attention']).toBe(2)
  expect(figures.counts()).toEqual(countRows())
})

describe('a journal from Windows', () => {
  /** Moves the recordings to `C:\rec`, and adds a second row for one of them under a second spelling of the folder. */
  const toWindowsPaths = `
    UPDATE recordings SET path = replace(replace(path, '/rec', 'C:\\rec'), '/', '\\'), folder = 'C:\\rec';
    UPDATE folders SET path = 'C:\\rec';
    INSERT INTO folders VALUES ('c:\\REC', '1', '1', ${NOW_MS});
    CREATE TEMP TABLE twin AS SELECT * FROM recordings WHERE name = 'processed.bin';
    UPDATE twin SET id = 99, path = 'c:\\REC\\processed.bin', folder = 'c:\\REC';
    INSERT INTO recordings SELECT * FROM twin;`

  test('finds recordings by every spelling and keeps both duplicates', () => {
    const windowsFolder = mkdtempSync(path.join(tmpdir(), 'sluice-takeover-'))
    const oldJournal = new Database(path.join(windowsFolder, 'journal.db'))
    oldJournal.exec(readFileSync(SCHEMA_3, 'utf8'))
    oldJournal.exec(toWindowsPaths)
    oldJournal.close()
    const { journal: migrated, damage } = openJournal(windowsFolder, () => NOW_MS, windowsPaths)
    try {
      expect(damage).toBeNull()
      expect(migrated.views.figures({ service: null, sending: true }).folder('c:/rec/').recordings).toBe(21)
      expect(migrated.recordings.otherSpellings('c:\\Rec\\UPLOADING.bin')).toMatchObject([
        { path: 'C:\\rec\\uploading.bin', sessionId: 'ses_uploading' },
      ])
      expect(migrated.recordings.otherSpellings('c:\\rec\\processed.bin').map(({ id }) => id)).toEqual([
        8, 99,
      ])
      // The folder keeps the earlier time of its two spellings.
      expect(migrated.volumes.volumeOf('c:\\rec')?.firstSeenAtMs).toBe(1_794_679_416_000)
    } finally {
      migrated.close()
      rmSync(windowsFolder, { recursive: true, force: true })
    }
  })
})

test('a dismissal that an earlier version stored can still be undone', () => {
  const { id } = recordingNamed('failed')
  journal.activity.note({ kind: 'dismissed' }, { recordingId: id })
  journal.close()
  const older = new Database(path.join(folder, 'journal.db'))
  older.exec("UPDATE activity SET kind = 'set-aside' WHERE kind = 'dismissed'")
  older.exec(migrations.find((sql) => sql.includes("'set-aside'")) ?? '')
  older.close()
  journal = openJournal(folder, () => NOW_MS).journal
  expect(journal.activity.dismissedIds()).toEqual([id])
})

test('activities whose kinds and facts were renamed by an update are shown as before', () => {
  journal.activity.note({ kind: 'station-upload-now-cancelled' })
  journal.activity.note({ kind: 'upload-now-cancelled' }, { recordingId: recordingNamed('failed').id })
  journal.activity.note({ kind: 'crashed', lastActivityAt: '2026-11-14T18:00:00.000Z' })
  journal.activity.note({ kind: 'crashed', lastActivityAt: null })
  const query = { groups: [], fromMs: null, toMs: null, before: null, limit: 4 } as const
  const activities = journal.activity.read(query).map(({ activity }) => activity)
  journal.close()
  const older = new Database(path.join(folder, 'journal.db'))
  older.exec(`
    UPDATE activity SET kind = replace(kind, 'upload-now-cancelled', 'upload-hours-kept');
    UPDATE activity SET facts = replace(facts, 'lastActivityAt', 'lastSign');`)
  older.exec(migrations.find((sql) => sql.includes("'upload-hours-kept'")) ?? '')
  older.close()
  journal = openJournal(folder, () => NOW_MS).journal
  expect(journal.activity.read(query).map(({ activity }) => activity)).toEqual(activities)
})

describe('the backup before a migration', () => {
  const backups = () => readdirSync(folder).filter((name) => name.startsWith('journal.schema-'))

  test('has the old schema and every recording, and only its owner can read it', () => {
    expect(backups()).toEqual(['journal.schema-3.db'])
    const file = path.join(folder, 'journal.schema-3.db')
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    const copy = new Database(file)
    expect(copy.pragma('user_version', { simple: true })).toBe(3)
    expect(copy.prepare('SELECT count(*) FROM recordings').pluck().get()).toBe(20)
    copy.close()
  })

  test('is kept for the last two schemas', () => {
    // The third backup replaces the first. Windows cannot remove an open file, so the test opens a copy.
    copyFileSync(path.join(folder, 'journal.schema-3.db'), path.join(folder, 'copy.db'))
    const db = new Database(path.join(folder, 'copy.db'))
    for (const version of [4, 10]) backUpSchema(db, folder, version)
    db.close()
    expect(backups().toSorted()).toEqual(['journal.schema-10.db', 'journal.schema-4.db'])
  })

  test('contains no signed URL', () => {
    const db = new Database(path.join(folder, 'journal.schema-3.db'))
    const planted = db.prepare("UPDATE parts SET url = 'https://s.example/1?s=planted' || number").run()
    expect(planted.changes).toBeGreaterThan(0)
    backUpSchema(db, folder, 5)
    db.close()
    expect(readFileSync(path.join(folder, 'journal.schema-5.db')).includes('planted')).toBe(false)
  })

  test(
    'is left out if the drive has no space for it, but the journal is still migrated',
    needs(mountedDisk),
    () => {
      const drive = mkdtempSync(path.join(tmpdir(), 'sluice-takeover-'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', drive])
      try {
        const oldJournal = new Database(path.join(drive, 'journal.db'))
        oldJournal.exec(readFileSync(SCHEMA_3, 'utf8'))
        oldJournal.exec('CREATE TABLE ballast AS SELECT zeroblob(10 * 1024 * 1024) AS bytes')
        oldJournal.close()
        const opened = openJournal(drive, () => NOW_MS)
        expect(opened).toMatchObject({ damage: null, lacksSchemaBackup: true })
        expect(opened.journal.views.everything()).toHaveLength(20)
        opened.journal.close()
        expect(readdirSync(drive).filter((name) => name.includes('schema'))).toEqual([])
      } finally {
        execFileSync('umount', ['-l', drive])
        rmSync(drive, { recursive: true, force: true })
      }
    },
  )

  test('is not made for a journal of this version', () => {
    journal.close()
    rmSync(path.join(folder, 'journal.schema-3.db'))
    journal = openJournal(folder, () => NOW_MS).journal
    expect(backups()).toEqual([])
  })
})
