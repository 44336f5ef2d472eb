import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { actOnPaths } from '../../../../../main/agent/calls/path-commands.ts'
import { NEVER_MS, problemOf } from '../../../../../main/agent/domain/problems.ts'
import type { Journal } from '../../../../../main/agent/journal/journal.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import type { Inspection } from '../../../../../shared/status/inspection.ts'
import { actionApplies } from '../../../../../shared/status/recording-actions.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const root = path.resolve('/rec')
const take = path.join(root, 'run')

const [folder] = draftSettingsSchema.parse({
  folders: [{ path: root, site: 'lab', take: 'folder' }],
}).folders

const INSPECTION: Inspection = {
  format: 'other',
  completeness: 'complete',
  startedAtMs: null,
  endedAtMs: null,
  durationS: null,
  channels: [],
  warnings: [],
}

let temp: TempJournal
let journal: Journal
let ids: readonly number[]
beforeEach(() => {
  temp = openTempJournal(() => 1_000_000)
  journal = temp.journal
  ids = [1, 2, 3, 4].map((n) => addHeld(path.join(take, `${n}.jpg`), n))
})
afterEach(() => temp.close())

const addHeld = (file: string, n: number): number => {
  const identity = { device: '1', inode: `${n}`, sizeBytes: n, mtimeNs: '1', ctimeNs: '1' }
  const { id } = journal.recordings.add({ path: file, identity }, folder!, { findSessionFirst: false })
  journal.recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'unchanged' })
  journal.recordings.patch(id, { problem: problemOf('take-held'), nextAttemptAtMs: 9_000_000 })
  return id
}
const problems = () => ids.map((id) => journal.recordings.byId(id)?.problem?.endsBy)

test.each([
  ['a take', [take]],
  ['two files of a take', [path.join(take, '1.jpg'), path.join(take, '3.jpg')]],
])('a retry of %s releases the held take only once', (_, paths) => {
  const release = vi.spyOn(journal.inspections, 'release')
  expect(actOnPaths(journal, { action: 'retry', paths })).toMatchObject({ refused: [] })
  expect(ids.map((id) => journal.recordings.byId(id)?.nextAttemptAtMs)).toEqual([0, 0, 0, 0])
  expect(release).toHaveBeenCalledTimes(1)
})

test.each([
  ['a take', [take]],
  ['everything', []],
])('a dismissal of %s, and its undo, each read the held take at most once', (_, paths) => {
  const readMembers = vi.spyOn(journal.takes, 'members')
  expect(actOnPaths(journal, { action: 'dismiss', paths })).toMatchObject({ refused: [] })
  expect(problems()).toEqual(['dismissed', 'dismissed', 'dismissed', 'dismissed'])
  expect(readMembers.mock.calls.length).toBeLessThanOrEqual(1)
  readMembers.mockClear()
  actOnPaths(journal, { action: 'undo-dismissal', paths: [take] })
  expect(readMembers.mock.calls.length).toBeLessThanOrEqual(1)
  expect(problems()).toEqual(['person', 'person', 'person', 'person'])
})

test('a retry refuses a recording whose folder was removed from the settings, and says what to do', () => {
  const file = path.join(take, '1.jpg')
  journal.recordings.patch(ids[0]!, { problem: problemOf('folder-removed'), nextAttemptAtMs: NEVER_MS })
  expect(() => actOnPaths(journal, { action: 'retry', paths: [file] })).toThrow(
    `${file} cannot be retried: its folder was removed from the settings. Add the folder again to upload it.`,
  )
  const recording = journal.recordings.byId(ids[0]!)!
  expect(recording.nextAttemptAtMs).toBe(NEVER_MS)
  expect(actionApplies('retry', recording)).toBe(false)
})

test('a dismissal of two files of a held take, and its undo, report both files', () => {
  const paths = [path.join(take, '1.jpg'), path.join(take, '3.jpg')]
  expect(actOnPaths(journal, { action: 'dismiss', paths })).toMatchObject({
    done: paths.map((file) => ({ path: file })),
    refused: [],
  })
  expect(actOnPaths(journal, { action: 'dismiss', paths })).toMatchObject({ done: [], refused: paths })
  expect(actOnPaths(journal, { action: 'undo-dismissal', paths })).toMatchObject({
    done: paths.map((file) => ({ path: file })),
    refused: [],
  })
  expect(problems()).toEqual(['person', 'person', 'person', 'person'])
})

test('a dismissal of everything counts a held file once, even if its deviations are also reported', () => {
  journal.inspections.save(ids[0]!, INSPECTION, ['The channel /wrist is missing.'])
  const { done } = actOnPaths(journal, { action: 'dismiss', paths: [] })
  expect(done.map((file) => path.basename(file.path))).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg'])
})
