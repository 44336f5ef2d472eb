import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../../../main/agent/journal/journal.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'

const HOUR_MS = 3_600_000
let nowMs = Date.parse('2026-11-15T18:00:00Z')
let folder: string
let journal: Journal
const reopen = () => {
  journal = openJournal(folder, () => nowMs).journal
}
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-events-'))
  reopen()
})
afterEach(() => {
  journal.close()
  rmSync(folder, { recursive: true, force: true })
})

const [lab] = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/recordings', site: 'lab' }],
}).folders
if (lab === undefined) throw new Error('no folder')
const identity = { device: '1', inode: '1', sizeBytes: 5, mtimeNs: '1', ctimeNs: '1' }

const addProcessing = (sessionId: string) => {
  const { id } = journal.recordings.add({ path: `/recordings/${sessionId}`, identity }, lab, {
    findSessionFirst: false,
  })
  const { recordings } = journal
  recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'x' })
  recordings.transition(id, 'queued', { kind: 'hash-started' }, { reason: 'x' })
  recordings.transition(id, 'hashing', { kind: 'hashed' }, { reason: 'x' })
  recordings.transition(id, 'ready', { kind: 'session-opened' }, { reason: 'x', patch: { sessionId } })
  recordings.transition(id, 'uploading', { kind: 'parts-sent' }, { reason: 'x' })
  recordings.transition(id, 'completing', { kind: 'completed' }, { reason: 'x' })
  recordings.patch(id, { nextAttemptAtMs: nowMs + HOUR_MS })
  return id
}
const readNextAttemptAtMs = (id: number) => journal.recordings.byId(id)?.nextAttemptAtMs
const event = (id: string, sessionId: string | null, type = 'session.processed') => ({ id, sessionId, type })

test('an event makes only its own session due for polling', () => {
  const ours = addProcessing('ses_1')
  const other = addProcessing('ses_2')
  expect(journal.events.note(event('evt_1', 'ses_1'))).toBe(true)
  expect(readNextAttemptAtMs(ours)).toBe(0)
  expect(readNextAttemptAtMs(other)).toBe(nowMs + HOUR_MS)
})

test('a redelivered event does nothing, even after a restart', () => {
  const ours = addProcessing('ses_1')
  journal.events.note(event('evt_1', 'ses_1'))
  journal.recordings.patch(ours, { nextAttemptAtMs: nowMs + HOUR_MS })
  expect(journal.events.note(event('evt_1', 'ses_1'))).toBe(false)
  journal.close()
  reopen()
  expect(journal.events.note(event('evt_1', 'ses_1'))).toBe(false)
  expect(readNextAttemptAtMs(ours)).toBe(nowMs + HOUR_MS)
})

test('stores events of unknown sessions and types, and events without a session', () => {
  expect(journal.events.note(event('evt_1', 'ses_of-another-station'))).toBe(true)
  expect(journal.events.note(event('evt_2', null, 'export.completed'))).toBe(true)
  expect(journal.events.note(event('evt_3', null, 'slice.frozen'))).toBe(true)
  expect(journal.events.figures()).toEqual({ lastAtMs: nowMs, lastDay: 3 })
})

test('an event that arrives late does not change a finished recording', () => {
  const id = addProcessing('ses_1')
  journal.recordings.transition(id, 'processing', { kind: 'processed' }, { reason: 'processed' })
  const before = journal.recordings.byId(id)
  journal.events.note(event('evt_late', 'ses_1', 'session.failed'))
  expect(journal.recordings.byId(id)).toEqual(before)
})

test('`hasArrivedSince` decides by the order of arrival, not by the clock', () => {
  journal.events.note(event('evt_1', 'ses_1'))
  const mark = journal.events.mark()
  nowMs -= 5 * HOUR_MS
  expect(journal.events.hasArrivedSince('ses_1', mark)).toBe(false)
  journal.events.note(event('evt_2', 'ses_1', 'session.failed'))
  expect(journal.events.hasArrivedSince('ses_1', mark)).toBe(true)
  expect(journal.events.hasArrivedSince('ses_2', mark)).toBe(false)
})

test('keeps events only as long as the service may deliver them again', () => {
  journal.events.note(event('evt_old', 'ses_1'))
  nowMs += 24 * HOUR_MS
  for (let n = 0; n < 250; n += 1) journal.events.note(event(`evt_${n}`, null))
  expect(journal.events.note(event('evt_old', 'ses_1'))).toBe(false)
  nowMs += 2 * HOUR_MS
  for (let n = 250; n < 500; n += 1) journal.events.note(event(`evt_${n}`, null))
  expect(journal.events.hasArrivedSince('ses_1', 0)).toBe(false)
})

test('reports a session that ended without its event, once the event is overdue', () => {
  const missed = addProcessing('ses_1')
  const delivered = addProcessing('ses_2')
  journal.events.note(event('evt_2', 'ses_2'))
  for (const id of [missed, delivered])
    journal.recordings.transition(id, 'processing', { kind: 'processed' }, { reason: 'processed' })
  const endedAtMs = nowMs
  expect(journal.events.lastMissedAtMs(nowMs - HOUR_MS, nowMs - 60_000)).toBeNull()
  nowMs += 61_000
  expect(journal.events.lastMissedAtMs(nowMs - HOUR_MS, nowMs - 60_000)).toBe(endedAtMs)
  journal.events.note(event('evt_1', 'ses_1'))
  expect(journal.events.lastMissedAtMs(nowMs - HOUR_MS, nowMs - 60_000)).toBeNull()
})
