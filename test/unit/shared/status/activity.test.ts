import { rmSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as commands from '../../../../main/agent/calls/commands.ts'
import { noUploadReasons } from '../../../../main/agent/domain/activity.ts'
import { problemOf } from '../../../../main/agent/domain/problems.ts'
import type { RecordingEvent } from '../../../../main/agent/domain/states.ts'
import { type Journal, openJournal, type Recording } from '../../../../main/agent/journal/journal.ts'
import { Station } from '../../../../main/agent/station/station.ts'
import { noteEnd, noteKey, noteSettings, noteStart } from '../../../../main/agent/station/station-life.ts'
import { activityPage } from '../../../../main/agent/status/activity-rows.ts'
import { calls } from '../../../../shared/ipc/ipc.ts'
import { draftSettingsSchema, settingsSchema } from '../../../../shared/settings/settings.ts'
import type { ActivityEntry } from '../../../../shared/status/activity.ts'
import type { Problem } from '../../../../shared/status/problem.ts'
import type { RecordingState } from '../../../../shared/status/status.ts'
import { openTempJournal, type TempJournal } from '../../../support/temp-journal.ts'

let nowMs: number
let temp: TempJournal
let journal: Journal
beforeEach(() => {
  nowMs = Date.parse('2026-03-12T20:00:00Z')
  temp = openTempJournal(() => nowMs)
  journal = temp.journal
})
afterEach(() => temp.close())

const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'Hall 3' }] }).folders
const advance = (seconds: number) => {
  nowMs += seconds * 1000
}
const addRecording = (name: string): Recording => {
  const identity = { device: '1', inode: name, sizeBytes: 4_200_000, mtimeNs: '1', ctimeNs: '1' }
  return journal.recordings.add({ path: `/rec/${name}`, identity }, folder!, { findSessionFirst: false })
}
const transition = (
  id: number,
  from: RecordingState,
  kind: RecordingEvent['kind'],
  requestId: string | null = null,
) =>
  journal.recordings.transition(id, from, { kind } as RecordingEvent, {
    reason: `reason of ${kind}`,
    requestId,
  })
const completeUpload = (id: number) => {
  transition(id, 'growing', 'settled')
  transition(id, 'queued', 'hash-started')
  transition(id, 'hashing', 'hashed')
  const patch = { sessionId: `ses_${id}`, service: 'https://api.example.com' }
  journal.recordings.transition(id, 'ready', { kind: 'session-opened' }, { reason: 'opened', patch })
  transition(id, 'uploading', 'parts-sent')
  transition(id, 'completing', 'completed', 'req_complete')
}
const readPage = (query: object = {}) => activityPage(journal, calls.listActivity.args.parse(query), nowMs)
const readSentences = (query: object = {}) => readPage(query).entries.map(({ sentence }) => sentence)
const readAll = (query: object = {}): ActivityEntry[] => {
  const all: ActivityEntry[] = []
  let before: string | null = null
  do {
    const nextPage = readPage({ ...query, before })
    all.push(...nextPage.entries)
    before = nextPage.older
  } while (before !== null)
  return all
}

test('lists a recording as found, uploaded and safe, each once and newest first, with session ID and request ID', () => {
  const { id } = addRecording('one.mcap')
  advance(1)
  completeUpload(id)
  advance(1)
  transition(id, 'processing', 'processed', 'req_done')
  expect(readSentences()).toEqual([
    'one.mcap is safe.',
    'Uploaded one.mcap (4.2 MB). The service is processing it.',
    'Found one.mcap.',
  ])
  expect(readPage().entries[0]).toMatchObject({
    at: '2026-03-12T20:00:02.000Z',
    kind: 'safe',
    group: 'recordings',
    tone: 'good',
    recordingId: id,
    sessionId: `ses_${id}`,
    requestId: 'req_done',
    owner: null,
  })
})

test('lists a hold once, with the person who must act, and then the user’s actions', () => {
  const recording = addRecording('empty.mcap')
  const hold = (code: 'empty-file' | 'file-busy') => {
    const current = journal.recordings.byId(recording.id)!
    journal.recordings.hold(current, {
      attempts: 1,
      untilMs: nowMs,
      problem: problemOf(code, { requestId: 'req_h' }),
    })
  }
  hold('file-busy')
  hold('file-busy')
  advance(1)
  hold('empty-file')
  hold('empty-file')
  commands.retry(journal, journal.recordings.byId(recording.id)!)
  commands.dismiss(journal, journal.recordings.byId(recording.id)!)
  expect(readSentences()).toEqual([
    'empty.mcap was dismissed.',
    'A user retried empty.mcap.',
    'empty.mcap is on hold. The file is empty: the recorder wrote nothing.',
    'empty.mcap is on hold. The file cannot be read right now.',
    'Found empty.mcap.',
  ])
  const [, , needsTechnician, selfClearing] = readPage().entries
  expect([needsTechnician?.owner, needsTechnician?.tone, needsTechnician?.requestId]).toEqual([
    'technician',
    'warn',
    'req_h',
  ])
  expect([selfClearing?.owner, selfClearing?.tone]).toEqual(['nobody', 'quiet'])
})

test('lists that a recording failed, disappeared, reappeared and is uploaded again', () => {
  const failed = addRecording('a.mcap')
  completeUpload(failed.id)
  const problem = problemOf('processing-failed')
  journal.recordings.transition(
    failed.id,
    'processing',
    { kind: 'processing-failed' },
    { reason: problem.sentence, patch: { problem } },
  )
  advance(1)
  const vanished = addRecording('b.mcap')
  advance(1)
  transition(vanished.id, 'growing', 'vanished')
  advance(1)
  transition(vanished.id, 'gone', 'reappeared')
  advance(1)
  expect(readPage({ groups: ['trouble'] }).entries.at(-1)).toMatchObject({ owner: 'service', tone: 'warn' })
  commands.retry(journal, journal.recordings.byId(failed.id)!)
  expect(readSentences().slice(0, 5)).toEqual([
    'a.mcap is being uploaded again in a new session: a user retried it.',
    'b.mcap is back in its folder.',
    'b.mcap disappeared before its upload was complete.',
    'Found b.mcap.',
    'a.mcap needs attention. The recording is stored, but processing failed.',
  ])
  expect(readSentences({ groups: ['trouble'] })).toEqual([
    'b.mcap disappeared before its upload was complete.',
    'a.mcap needs attention. The recording is stored, but processing failed.',
  ])
})

test('a recording that disappears causes a warning only if its file still needed an upload', () => {
  const vanish = (name: string, reason: string, problem: Problem | null = null) => {
    const { id } = addRecording(name)
    advance(1)
    journal.recordings.transition(id, 'growing', { kind: 'vanished' }, { reason, patch: { problem } })
    advance(1)
    return id
  }
  vanish('a.mcap.ok', noUploadReasons.marker)
  vanish('b.db3-wal', noUploadReasons.merged)
  vanish('c.mcap', noUploadReasons.dismissed)
  const id = vanish('d.mcap', 'the file is no longer in the folder', problemOf('file-vanished'))
  // A user dismisses the recording later. That does not change the entry.
  commands.dismiss(journal, journal.recordings.byId(id)!)
  const { entries } = readPage({ groups: ['trouble'] })
  expect(entries.map(({ sentence, tone, owner }) => [sentence, tone, owner])).toEqual([
    ['d.mcap disappeared before its upload was complete.', 'warn', 'technician'],
    ['c.mcap needs no upload. It was dismissed, and its file is no longer in the folder.', 'quiet', null],
    ['b.db3-wal needs no upload. SQLite merged it into its database.', 'quiet', null],
    ['a.mcap.ok needs no upload. It is a marker file.', 'quiet', null],
  ])
})

const openStation = () => {
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs }
  return new Station(
    journal,
    clock,
    () => 0.5,
    () => null,
  )
}

test('lists conditions of the station, pauses and changes of the key', () => {
  const station = openStation()
  station.setKey('one', 'https://api.example.com')
  noteKey(journal, 'https://api.example.com', 'one')
  station.raise('control', 'service-unreachable', { requestId: 'req_c' })
  station.raise('control', 'service-unreachable')
  advance(60)
  station.raise('control', 'service-error')
  advance(60)
  station.noteAnswer('control', nowMs)
  noteKey(journal, 'https://api.example.com', 'two')
  noteKey(journal, 'https://api.example.com', 'two')
  noteKey(journal, 'https://api.example.com', null)
  journal.station.pause(null)
  journal.station.resume()
  journal.station.resume()
  expect(readSentences()).toEqual([
    'Uploading was resumed.',
    'Uploading was paused.',
    'The API key was removed.',
    'The API key was changed.',
    'Service back after 2 min.',
    'The service returned an error.',
    'The service cannot be reached.',
  ])
  expect(readPage().entries.at(-1)?.requestId).toBe('req_c')
})

test('a new key does not end a condition before the service has answered', () => {
  const station = openStation()
  station.raise('control', 'service-unreachable')
  advance(30)
  station.setKey('one', 'https://api.example.com')
  expect(readSentences()).toEqual(['The service cannot be reached.'])
  station.raise('control', 'service-unreachable')
  expect(readSentences()).toEqual(['The service cannot be reached.'])
  station.setKey('two', 'https://api.example.com')
  advance(30)
  station.noteAnswer('control', nowMs)
  expect(readSentences()[0]).toBe('Service back after 1 min.')
})

test('stores a full disk when there is space again, with the time at which the disk became full', () => {
  const station = openStation()
  station.raise('disk', 'disk-full')
  expect(readSentences()).toEqual([])
  advance(600)
  station.clear('disk')
  const [ended, began] = readPage().entries
  expect(ended?.sentence).toBe('Journal disk has free space again after 10 min.')
  expect(began).toMatchObject({ at: '2026-03-12T20:00:00.000Z', kind: 'condition-began' })
})

test('lists starts, stops, crashes and updates; a damaged journal is not a crash', async () => {
  noteStart(journal, { version: '0.1.0', damage: null })
  advance(1)
  noteEnd(journal)
  advance(1)
  noteStart(journal, { version: '0.1.0', damage: null })
  advance(3600)
  noteStart(journal, { version: '0.2.0', damage: null })
  advance(1)
  noteStart(journal, { version: '0.2.0', damage: { restored: true } })
  expect(readPage().entries.map(({ kind }) => kind)).toEqual([
    'started',
    'journal-recovered',
    'started',
    'updated',
    'crashed',
    'started',
    'stopped',
    'started',
  ])
  expect(readSentences()[4]).toMatch(/killed, or the PC lost power\. Last activity: today \d\d:00\.$/)
  expect(readSentences()[3]).toBe('Sluice was updated from 0.1.0 to 0.2.0.')
})

test('lists the names of changed settings, and never stores their values', () => {
  const settings = (
    change: object = {},
    service: object = {},
    folders: object[] = [{ path: '/rec', site: 'Hall 3' }],
  ) =>
    settingsSchema.parse({ service: { base_url: 'https://api.example.com', ...service }, folders, ...change })
  noteSettings(journal, settings())
  noteSettings(journal, settings())
  expect(readSentences()).toEqual([])
  noteSettings(
    journal,
    settings({ transfer: { limit_mbit_per_s: 8 } }, { proxy: 'http://lab:SECRET@127.0.0.1:9' }),
  )
  expect(readSentences()).toEqual(['Settings changed: proxy, speed limit.'])
  noteSettings(
    journal,
    settings({}, {}, [
      { path: '/rec', site: 'Hall 4' },
      { path: '/new', site: 'Yard' },
    ]),
  )
  advance(1)
  noteSettings(journal, settings({}, {}, [{ path: '/new', site: 'Yard' }]))
  expect(readSentences().slice(0, 2)).toEqual([
    'Settings changed: folder /rec no longer watched.',
    'Settings changed: proxy, speed limit; folder /new added; folder /rec (site).',
  ])
  journal.close()
  const db = new Database(path.join(temp.folder, 'journal.db'))
  const storedRows = JSON.stringify([
    db.prepare('SELECT * FROM station').all(),
    db.prepare('SELECT * FROM activity').all(),
  ])
  db.close()
  expect(storedRows).not.toContain('SECRET')
  journal = openJournal(temp.folder, () => nowMs).journal
  temp = {
    ...temp,
    journal,
    close: () => {
      journal.close()
      rmSync(temp.folder, { recursive: true, force: true })
    },
  }
})

test('pages join without gaps or duplicates, even at equal times, and can be filtered by group, time and text', () => {
  for (let n = 0; n < 60; n += 1) {
    addRecording(`take-${n}.mcap`)
    if (n % 3 === 0) journal.station.pause(null)
    if (n % 7 === 0) advance(60)
  }
  const all = readAll({ limit: 500 })
  expect(all).toHaveLength(80)
  expect(readAll({ limit: 7 })).toEqual(all)
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  )
  expect(readAll({ groups: ['station'], limit: 3 })).toEqual(all.filter(({ group }) => group === 'station'))
  expect(readAll({ groups: ['recordings'], limit: 9 })).toHaveLength(60)
  expect(readAll({ groups: ['settings'] })).toEqual([])
  expect(readAll({ text: 'TAKE-4' }).map(({ sentence }) => sentence)).toHaveLength(11)
  const from = new Date(Date.parse('2026-03-12T20:02:00Z')).toISOString()
  const to = new Date(Date.parse('2026-03-12T20:04:00Z')).toISOString()
  expect(readAll({ from, to, limit: 4 })).toEqual(all.filter(({ at }) => at >= from && at < to))
})

test('a search reads a limited number of entries per page, and the next page continues from there', () => {
  journal.transaction(() => {
    for (let n = 0; n < 6_000; n += 1) addRecording(`take-${n}.mcap`)
  })
  const first = readPage({ text: 'take-3.mcap' })
  expect(first.entries).toEqual([])
  expect(first.older).not.toBeNull()
  expect(readAll({ text: 'take-3.mcap' })).toHaveLength(1)
})

test('the number and the age of entries have limits, and recordings do not displace entries of the station', () => {
  noteStart(journal, { version: null, damage: null })
  const { id } = addRecording('one.mcap')
  journal.transaction(() => {
    for (let n = 0; n < 21_000; n += 1) journal.activity.note({ kind: 'prioritised' }, { recordingId: id })
  })
  const entries = readAll({ limit: 500 })
  expect(entries.filter(({ kind }) => kind === 'prioritised').length).toBeLessThanOrEqual(10_100)
  expect(entries.at(-1)?.kind === 'started' || entries.at(-2)?.kind === 'started').toBe(true)
  advance(91 * 86_400)
  for (let n = 0; n < 101; n += 1) journal.activity.note({ kind: 'stopped' })
  expect(readAll({ limit: 500 }).filter(({ kind }) => kind === 'prioritised')).toEqual([])
})
