import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../../../main/agent/journal/journal.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import type { Inspection } from '../../../../../shared/status/inspection.ts'

let nowMs = Date.parse('2026-11-15T18:00:00Z')
let folder: string
let journal: Journal
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-inspections-'))
  journal = openJournal(folder, () => nowMs).journal
})
afterEach(() => {
  journal.close()
  rmSync(folder, { recursive: true, force: true })
})

const [lab] = settingsSchema.parse({
  service: { base_url: 'https://api.example.com' },
  folders: [{ path: '/recordings', site: 'lab' }],
}).folders
const identity = { device: '1', inode: '1', sizeBytes: 5, mtimeNs: '1', ctimeNs: '1' }
const inspection: Inspection = {
  format: 'mcap',
  completeness: 'complete',
  startedAtMs: 1,
  endedAtMs: 2,
  durationS: 0.001,
  channels: [{ name: '/imu', type: null, messages: 1, rateHz: null, largestGapS: null, timeline: [1] }],
  warnings: [],
}

const addRecording = (name: string): number =>
  journal.recordings.add({ path: `/recordings/${name}`, identity }, lab!, { findSessionFirst: false }).id
const settle = (id: number) =>
  journal.recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'unchanged for 10 s' })

test('each recording is due for one inspection, after its end', () => {
  const id = addRecording('a.mcap')
  expect(journal.inspections.nextDue()).toBeNull()
  settle(id)
  expect(journal.inspections.nextDue()).toBe(id)
  expect(journal.inspections.of(id)).toBeNull()
  journal.inspections.save(id, inspection)
  expect(journal.inspections.nextDue()).toBeNull()
  expect(journal.inspections.of(id)).toEqual(inspection)
})

test('the newest recording is inspected first', () => {
  const [first, second] = [addRecording('a.mcap'), addRecording('b.mcap')]
  settle(second)
  settle(first)
  expect(journal.inspections.nextDue()).toBe(second)
})

test('a postponed inspection is due again at the given time', () => {
  const id = addRecording('a.mcap')
  settle(id)
  journal.inspections.postpone(id, nowMs + 60_000)
  expect(journal.inspections.nextDue()).toBeNull()
  nowMs += 60_000
  expect(journal.inspections.nextDue()).toBe(id)
})

test('saving an inspection notifies the listeners of the journal', () => {
  const id = addRecording('a.mcap')
  settle(id)
  const changes: unknown[] = []
  journal.onChange((...change) => changes.push(change))
  journal.inspections.save(id, inspection)
  expect(changes).toEqual([[id, 'queued']])
})

test('a recording that deviates is listed for checking until the user dismisses it', () => {
  const id = addRecording('a.mcap')
  settle(id)
  const deviations = ['/imu is missing.']
  journal.inspections.save(id, inspection, deviations)
  const take = { id, name: 'a.mcap', folder: '/recordings', isHeld: false, willBeHeld: false, deviations }
  expect(journal.inspections.toCheck(20)).toEqual({ count: 1, held: 0, newest: [take] })
  expect(journal.inspections.dismiss(id)).toBe(true)
  expect(journal.inspections.dismiss(id)).toBe(false)
  expect(journal.inspections.toCheck(20)).toEqual({ count: 0, held: 0, newest: [] })
  expect(journal.inspections.deviationsOf(id)).toEqual(deviations)
})

test('a recording with accepted deviations may be uploaded, is not listed for checking, and counts as dismissed', () => {
  const id = addRecording('a.mcap')
  settle(id)
  journal.inspections.save(id, inspection, ['/imu is missing.'], true)
  expect(journal.inspections.toCheck(20).count).toBe(0)
  expect(journal.inspections.clearanceOf(journal.recordings.byId(id)!)).toBe('clear')
  expect(journal.pastInspections.pastIn('/recordings', -1, 1)).toMatchObject([{ id, report: 'dismissed' }])
})

test('held and dismissed recordings do not use up the limit of a search for recordings that may be uploaded', () => {
  const [normal, released, dismissed, held] = ['a', 'b', 'c', 'd'].map((name) => {
    const id = addRecording(`${name}.mcap`)
    settle(id)
    journal.inspections.save(id, inspection, name === 'a' ? [] : ['/imu is missing.'])
    return id
  })
  journal.inspections.release(journal.recordings.byId(released!)!)
  journal.inspections.dismiss(dismissed!)
  const idsOf = (which: 'all' | 'clear') =>
    journal.pastInspections.pastIn('/recordings', -1, 2, which).map(({ id }) => id)
  expect(idsOf('clear')).toEqual([released, normal])
  expect(idsOf('all')).toEqual([held, dismissed])
})

test('returns the last inspections of a folder, newest first', () => {
  for (const [name, durationS] of [
    ['a.mcap', 1],
    ['b.mcap', 2],
    ['c.mcap', 3],
  ] as const) {
    const id = addRecording(name)
    settle(id)
    journal.inspections.save(id, { ...inspection, durationS })
  }
  expect(journal.pastInspections.lastIn('/recordings', 2).map(({ durationS }) => durationS)).toEqual([3, 2])
  expect(journal.pastInspections.lastIn('/other', 2)).toEqual([])
})
