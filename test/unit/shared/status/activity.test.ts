import { rmSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as commands from '../../../../main/agent/calls/commands.ts'
import { problemOf } from '../../../../main/agent/domain/problems.ts'
import type { RecordingEvent } from '../../../../main/agent/domain/states.ts'
import { type Journal, openJournal, type Recording } from '../../../../main/agent/journal/journal.ts'
import { Station } from '../../../../main/agent/station/station.ts'
import { noteEnd, noteKey, noteSettings, noteStart } from '../../../../main/agent/station/station-life.ts'
import { activityPage } from '../../../../main/agent/status/activity-rows.ts'
import { calls } from '../../../../shared/ipc/ipc.ts'
import { draftSettingsSchema, settingsSchema } from '../../../../shared/settings/settings.ts'
import type { ActivityEntry } from '../../../../shared/status/activity.ts'
import type { RecordingState } from '../../../../shared/status/status.ts'
import { openTempJournal, type TempJournal } from '../../../support/temp-journal.ts'

let now: number
let opened: TempJournal
let journal: Journal
beforeEach(() => {
  now = Date.parse('2026-03-12T20:00:00Z')
  opened = openTempJournal(() => now)
  journal = opened.journal
})
afterEach(() => opened.close())

const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'Hall 3' }] }).folders
const later = (seconds: number) => {
  now += seconds * 1000
}
const add = (name: string): Recording => {
  const identity = { device: '1', inode: name, sizeBytes: 4_200_000, mtimeNs: '1', ctimeNs: '1' }
  return journal.recordings.add({ path: `/rec/${name}`, identity }, folder!, { findSessionFirst: false })
}
const step = (
  id: number,
  from: RecordingState,
  kind: RecordingEvent['kind'],
  requestId: string | null = null,
) =>
  journal.recordings.transition(id, from, { kind } as RecordingEvent, {
    reason: `reason of ${kind}`,
    requestId,
  })
const upload = (id: number) => {
  step(id, 'growing', 'settled')
  step(id, 'queued', 'hash-started')
  step(id, 'hashing', 'hashed')
  const patch = { sessionId: `ses_${id}`, service: 'https://api.example.com' }
  journal.recordings.transition(id, 'ready', { kind: 'session-opened' }, { reason: 'opened', patch })
  step(id, 'uploading', 'parts-sent')
  step(id, 'completing', 'completed', 'req_complete')
}
const page = (query: object = {}) => activityPage(journal, calls.listActivity.args.parse(query), now)
const sentences = (query: object = {}) => page(query).entries.map(({ sentence }) => sentence)
const whole = (query: object = {}): ActivityEntry[] => {
  const all: ActivityEntry[] = []
  let before: string | null = null
  do {
    const next = page({ ...query, before })
    all.push(...next.entries)
    before = next.older
  } while (before !== null)
  return all
}

test('lists a recording from found to safe, once each, newest first, with session and request id', () => {
  const { id } = add('one.mcap')
  later(1)
  upload(id)
  later(1)
  step(id, 'processing', 'processed', 'req_done')
  expect(sentences()).toEqual([
    'one.mcap is safe.',
    'Uploaded one.mcap (4.2 MB). The service is processing it.',
    'Found one.mcap.',
  ])
  expect(page().entries[0]).toMatchObject({
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

test('lists a hold once, with the person who has to act, and then the user’s action', () => {
  const recording = add('empty.mcap')
  const hold = (code: 'empty-file' | 'file-busy') => {
    const current = journal.recordings.byId(recording.id)!
    journal.recordings.hold(current, {
      attempts: 1,
      untilMs: now,
      problem: problemOf(code, { requestId: 'req_h' }),
    })
  }
  hold('file-busy')
  hold('file-busy')
  later(1)
  hold('empty-file')
  hold('empty-file')
  commands.retry(journal, journal.recordings.byId(recording.id)!)
  commands.dismiss(journal, journal.recordings.byId(recording.id)!)
  expect(sentences()).toEqual([
    'empty.mcap was dismissed.',
    'A user retried empty.mcap.',
    'empty.mcap is on hold. The file is empty: the recorder wrote nothing.',
    'empty.mcap is on hold. The file cannot be read right now.',
    'Found empty.mcap.',
  ])
  const [, , mine, selfClearing] = page().entries
  expect([mine?.owner, mine?.tone, mine?.requestId]).toEqual(['technician', 'warn', 'req_h'])
  expect([selfClearing?.owner, selfClearing?.tone]).toEqual(['nobody', 'quiet'])
})

test('lists failed, gone, back and uploaded again', () => {
  const failed = add('a.mcap')
  upload(failed.id)
  const problem = problemOf('processing-failed')
  journal.recordings.transition(
    failed.id,
    'processing',
    { kind: 'processing-failed' },
    { reason: problem.sentence, patch: { problem } },
  )
  later(1)
  const lost = add('b.mcap')
  later(1)
  step(lost.id, 'growing', 'vanished')
  later(1)
  step(lost.id, 'gone', 'reappeared')
  later(1)
  expect(page({ groups: ['trouble'] }).entries.at(-1)).toMatchObject({ owner: 'service', tone: 'warn' })
  commands.retry(journal, journal.recordings.byId(failed.id)!)
  expect(sentences().slice(0, 5)).toEqual([
    'a.mcap is being uploaded again in a new session: a user retried it.',
    'b.mcap is back in its folder.',
    'b.mcap disappeared before its upload was complete.',
    'Found b.mcap.',
    'a.mcap needs attention. The recording is stored, but processing failed.',
  ])
  expect(sentences({ groups: ['trouble'] })).toEqual([
    'b.mcap disappeared before its upload was complete.',
    'a.mcap needs attention. The recording is stored, but processing failed.',
  ])
})

test('lists reachability, changing conditions, pauses, keys, folders and settings', () => {
  const clock = { wallMs: () => now, monotonicMs: () => now }
  const station = new Station(
    journal,
    clock,
    () => 0.5,
    () => null,
  )
  station.connected('one', 'https://api.example.com')
  noteKey(journal, 'https://api.example.com', 'one')
  station.raise('control', 'service-unreachable', { requestId: 'req_c' })
  station.raise('control', 'service-unreachable')
  later(60)
  station.raise('control', 'service-error')
  later(60)
  station.noteAnswer('control', now)
  noteKey(journal, 'https://api.example.com', 'two')
  noteKey(journal, 'https://api.example.com', 'two')
  noteKey(journal, 'https://api.example.com', null)
  journal.station.pause(null)
  journal.station.resume()
  journal.station.resume()
  expect(sentences()).toEqual([
    'Uploading was resumed.',
    'Uploading was paused.',
    'The API key was removed.',
    'The API key was changed.',
    'Service back after 2 min.',
    'The service returned an error.',
    'The service cannot be reached.',
  ])
  expect(page().entries.at(-1)?.requestId).toBe('req_c')
})

test('with a new connection the service is usable only after it has answered', () => {
  const clock = { wallMs: () => now, monotonicMs: () => now }
  const station = new Station(
    journal,
    clock,
    () => 0.5,
    () => null,
  )
  station.raise('control', 'service-unreachable')
  later(30)
  station.connected('one', 'https://api.example.com')
  expect(sentences()).toEqual(['The service cannot be reached.'])
  station.raise('control', 'service-unreachable')
  expect(sentences()).toEqual(['The service cannot be reached.'])
  station.connected('two', 'https://api.example.com')
  later(30)
  station.noteAnswer('control', now)
  expect(sentences()[0]).toBe('Service back after 1 min.')
})

test('lists a full disk once there is space to write it, with the time it began', () => {
  const clock = { wallMs: () => now, monotonicMs: () => now }
  const station = new Station(
    journal,
    clock,
    () => 0.5,
    () => null,
  )
  station.raise('disk', 'disk-full')
  expect(sentences()).toEqual([])
  later(600)
  station.clear('disk')
  const [ended, began] = page().entries
  expect(ended?.sentence).toBe('Journal disk has free space again after 10 min.')
  expect(began).toMatchObject({ at: '2026-03-12T20:00:00.000Z', kind: 'condition-began' })
})

test('lists starts, ends, kills and updates; a damaged journal is not a crash', async () => {
  noteStart(journal, { version: '0.1.0', damage: null })
  later(1)
  noteEnd(journal)
  later(1)
  noteStart(journal, { version: '0.1.0', damage: null })
  later(3600)
  noteStart(journal, { version: '0.2.0', damage: null })
  later(1)
  noteStart(journal, { version: '0.2.0', damage: { restored: true } })
  expect(page().entries.map(({ kind }) => kind)).toEqual([
    'started',
    'journal-recovered',
    'started',
    'updated',
    'crashed',
    'started',
    'stopped',
    'started',
  ])
  expect(sentences()[4]).toMatch(/killed, or the PC lost power\. Last activity: today \d\d:00\.$/)
  expect(sentences()[3]).toBe('Sluice was updated from 0.1.0 to 0.2.0.')
})

test('lists changed fields of settings, even from a time when Sluice did not run, and never a value', () => {
  const settings = (
    more: object = {},
    service: object = {},
    folders: object[] = [{ path: '/rec', site: 'Hall 3' }],
  ) =>
    settingsSchema.parse({ service: { base_url: 'https://api.example.com', ...service }, folders, ...more })
  noteSettings(journal, settings())
  noteSettings(journal, settings())
  expect(sentences()).toEqual([])
  noteSettings(
    journal,
    settings({ transfer: { limit_mbit_per_s: 8 } }, { proxy: 'http://lab:SECRET@127.0.0.1:9' }),
  )
  expect(sentences()).toEqual(['Settings changed: proxy, speed limit.'])
  noteSettings(
    journal,
    settings({}, {}, [
      { path: '/rec', site: 'Hall 4' },
      { path: '/new', site: 'Yard' },
    ]),
  )
  later(1)
  noteSettings(journal, settings({}, {}, [{ path: '/new', site: 'Yard' }]))
  expect(sentences().slice(0, 2)).toEqual([
    'Settings changed: folder /rec no longer watched.',
    'Settings changed: proxy, speed limit; folder /new added; folder /rec (site).',
  ])
  journal.close()
  const db = new Database(path.join(opened.folder, 'journal.db'))
  const stored = JSON.stringify([
    db.prepare('SELECT * FROM station').all(),
    db.prepare('SELECT * FROM activity').all(),
  ])
  db.close()
  expect(stored).not.toContain('SECRET')
  journal = openJournal(opened.folder, () => now).journal
  opened = {
    ...opened,
    journal,
    close: () => {
      journal.close()
      rmSync(opened.folder, { recursive: true, force: true })
    },
  }
})

test('pages join without gaps or duplicates, even at equal times; groups, times and text filter them', () => {
  for (let n = 0; n < 60; n += 1) {
    add(`take-${n}.mcap`)
    if (n % 3 === 0) journal.station.pause(null)
    if (n % 7 === 0) later(60)
  }
  const all = whole({ limit: 500 })
  expect(all).toHaveLength(80)
  expect(whole({ limit: 7 })).toEqual(all)
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  )
  expect(whole({ groups: ['station'], limit: 3 })).toEqual(all.filter(({ group }) => group === 'station'))
  expect(whole({ groups: ['recordings'], limit: 9 })).toHaveLength(60)
  expect(whole({ groups: ['settings'] })).toEqual([])
  expect(whole({ text: 'TAKE-4' }).map(({ sentence }) => sentence)).toHaveLength(11)
  const from = new Date(Date.parse('2026-03-12T20:02:00Z')).toISOString()
  const to = new Date(Date.parse('2026-03-12T20:04:00Z')).toISOString()
  expect(whole({ from, to, limit: 4 })).toEqual(all.filter(({ at }) => at >= from && at < to))
})

test('a search without results returns after a bounded scan, and continues from there', () => {
  journal.transaction(() => {
    for (let n = 0; n < 6_000; n += 1) add(`take-${n}.mcap`)
  })
  const first = page({ text: 'take-3.mcap' })
  expect(first.entries).toEqual([])
  expect(first.older).not.toBeNull()
  expect(whole({ text: 'take-3.mcap' })).toHaveLength(1)
})

test('entries are limited by number and age, separately for recordings and station', () => {
  noteStart(journal, { version: null, damage: null })
  const { id } = add('one.mcap')
  journal.transaction(() => {
    for (let n = 0; n < 21_000; n += 1) journal.activity.note({ kind: 'prioritised' }, { recordingId: id })
  })
  const kept = whole({ limit: 500 })
  expect(kept.filter(({ kind }) => kind === 'prioritised').length).toBeLessThanOrEqual(10_100)
  expect(kept.at(-1)?.kind === 'started' || kept.at(-2)?.kind === 'started').toBe(true)
  later(91 * 86_400)
  for (let n = 0; n < 101; n += 1) journal.activity.note({ kind: 'stopped' })
  expect(whole({ limit: 500 }).filter(({ kind }) => kind === 'prioritised')).toEqual([])
})
