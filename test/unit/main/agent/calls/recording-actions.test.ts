import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RecordingActions } from '../../../../../main/agent/calls/recording-actions.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { needsFile } from '../../../../../main/agent/domain/states.ts'
import type { Journal, Recording } from '../../../../../main/agent/journal/journal.ts'
import { calls } from '../../../../../shared/ipc/ipc.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { actionApplies } from '../../../../../shared/status/recording-actions.ts'
import { recordingStates } from '../../../../../shared/status/status.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const view = { service: 'https://api.example.com', sending: true }
const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'lab' }] }).folders

let temp: TempJournal
let journal: Journal
let actions: RecordingActions
beforeEach(() => {
  temp = openTempJournal(() => 1_000_000)
  journal = temp.journal
  actions = new RecordingActions(journal, () => view)
})
afterEach(() => temp.close())

const addRecording = (n: number): Recording => {
  if (folder === undefined) throw new Error('one folder is needed')
  const identity = { device: '1', inode: `${n}`, sizeBytes: n, mtimeNs: '1', ctimeNs: '1' }
  return journal.recordings.add({ path: `/rec/take-${n}.bin`, identity }, folder, { findSessionFirst: false })
}
const addVanished = (n: number): Recording => {
  const { id } = addRecording(n)
  const problem = problemOf('file-vanished')
  journal.recordings.transition(id, 'growing', { kind: 'vanished' }, { reason: 'gone', patch: { problem } })
  return readRecording(id)
}
const readRecording = (id: number): Recording => {
  const recording = journal.recordings.byId(id)
  if (recording === null) throw new Error(`no recording ${id}`)
  return recording
}
const parseFilter = (filter: Readonly<Record<string, unknown>>) =>
  calls.retryRecordings.args.parse({ matching: filter })

describe('an action on recordings', () => {
  test('applies to the recordings that allow it, and reports their number', async () => {
    const ids = [addRecording(1).id, addRecording(2).id, addVanished(3).id]
    await actions.run('pause', { ids: [ids[0] ?? 0] })
    expect(await actions.run('pause', { ids })).toMatchObject({ acted: 1, skipped: 2 })
    expect(ids.map((id) => readRecording(id).paused)).toEqual([true, true, false])
  })

  test('applies to all recordings that match at its start, even if they stop matching meanwhile', async () => {
    journal.transaction(() => {
      for (let n = 1; n <= 501; n += 1) addVanished(n)
    })
    addRecording(502)
    const selection = parseFilter({ standings: ['needs-attention'] })
    expect(await actions.run('dismiss', selection)).toMatchObject({ acted: 501, skipped: 0 })
    expect(journal.views.figures(view).standings()).toMatchObject({
      'needs-attention': 0,
      dismissed: 501,
      recording: 1,
    })
  })

  test('runs in batches and reports its progress until the end', async () => {
    journal.transaction(() => {
      for (let n = 1; n <= 450; n += 1) addRecording(n)
    })
    const pendingAction = actions.run('pause', parseFilter({}))
    const reports = [actions.progress]
    for (; actions.progress !== null; await new Promise((turn) => setImmediate(turn)))
      reports.push(actions.progress)
    await pendingAction
    expect(reports).toContainEqual({ done: 0, total: 450 })
    expect(reports).toContainEqual({ done: 400, total: 450 })
    expect(actions.progress).toBeNull()
  })
})

describe('undo restores', () => {
  test('only the recordings that the action paused', async () => {
    const ids = [addRecording(1).id, addRecording(2).id]
    await actions.run('pause', { ids: [ids[0] ?? 0] })
    const { undo } = await actions.run('pause', { ids })
    expect(await actions.undo(undo ?? 0)).toEqual({ acted: 1, skipped: 0, undo: null })
    expect(ids.map((id) => readRecording(id).paused)).toEqual([true, false])
  })

  test('recordings that were resumed or moved to the front', async () => {
    const { id } = addRecording(1)
    await actions.run('pause', { ids: [id] })
    const resumed = await actions.run('resume', { ids: [id] })
    await actions.undo(resumed.undo ?? 0)
    expect(readRecording(id).paused).toBe(true)
    const first = await actions.run('prioritise', { ids: [id] })
    expect(readRecording(id).prioritised).toBe(true)
    await actions.undo(first.undo ?? 0)
    expect(readRecording(id).prioritised).toBe(false)
  })

  test('dismissed problems with their start times', async () => {
    const before = addVanished(1)
    const { undo } = await actions.run('dismiss', { ids: [before.id] })
    expect(readRecording(before.id).problem).toBeNull()
    await actions.undo(undo ?? 0)
    expect(readRecording(before.id)).toEqual(before)
  })

  test('no recording that has changed its state since the action', async () => {
    const { id } = addVanished(1)
    const { undo } = await actions.run('dismiss', { ids: [id] })
    journal.recordings.transition(id, 'gone', { kind: 'reappeared' }, { reason: 'back' })
    expect(await actions.undo(undo ?? 0)).toEqual({ acted: 0, skipped: 1, undo: null })
    expect(readRecording(id).problem).toBeNull()
  })

  test('only the changes of the last action, and only once', async () => {
    const { id } = addRecording(1)
    const first = await actions.run('prioritise', { ids: [id] })
    const pause = await actions.run('pause', { ids: [id] })
    expect(await actions.undo(first.undo ?? 0)).toBeNull()
    expect(await actions.undo(pause.undo ?? 0)).not.toBeNull()
    expect(await actions.undo(pause.undo ?? 0)).toBeNull()
    expect((await actions.run('retry', { ids: [addVanished(2).id] })).undo).toBeNull()
  })
})

test('only recordings that still need their file can be paused or moved to the front', () => {
  for (const state of recordingStates) {
    const recording = { state, problem: null, paused: false, prioritised: false }
    expect([state, actionApplies('pause', recording)]).toEqual([state, needsFile(state)])
    expect([state, actionApplies('prioritise', recording)]).toEqual([state, needsFile(state)])
  }
})

describe('a retry of all recordings with the same problem', () => {
  const hold = (n: number, code: 'take-held' | 'file-busy'): Recording => {
    const { id } = addRecording(n)
    const endsBy = code === 'file-busy' ? 'file' : 'person'
    const problem = { ...problemOf(code), endsBy } as const
    journal.recordings.patch(id, { problem, attempts: 5, nextAttemptAtMs: 9_000_000 })
    return readRecording(id)
  }

  test.each(['take-held', 'file-busy'] as const)(
    'does not change dismissed and ignored recordings: %s',
    async (code) => {
      const [held, dismissed, ignored] = [hold(1, code), hold(2, code), hold(3, code)]
      await actions.run('dismiss', { ids: [dismissed.id] })
      await actions.ignore([ignored.id])
      const before = [readRecording(dismissed.id), readRecording(ignored.id)]
      await actions.retryProblem(code)
      expect(readRecording(held.id)).toMatchObject({ attempts: 0, nextAttemptAtMs: 0 })
      expect([readRecording(dismissed.id), readRecording(ignored.id)]).toEqual(before)
    },
  )
})

test('a retry of a held take releases the take once for all its files', async () => {
  const [takeFolder] = draftSettingsSchema.parse({
    folders: [{ path: '/rec', site: 'lab', take: 'folder' }],
  }).folders
  const ids = [1, 2, 3, 4].map((n) => {
    const identity = { device: '1', inode: `${n}`, sizeBytes: n, mtimeNs: '1', ctimeNs: '1' }
    const added = journal.recordings.add({ path: `/rec/run/${n}.jpg`, identity }, takeFolder!, {
      findSessionFirst: false,
    })
    journal.recordings.transition(added.id, 'growing', { kind: 'settled' }, { reason: 'unchanged' })
    journal.recordings.patch(added.id, { problem: problemOf('take-held'), nextAttemptAtMs: 9_000_000 })
    return added.id
  })
  const release = vi.spyOn(journal.inspections, 'release')
  const selection = { ids: ids.slice(0, 1), takes: true }
  expect(await actions.run('retry', selection)).toMatchObject({ acted: 4, skipped: 0 })
  expect(ids.map((id) => readRecording(id).nextAttemptAtMs)).toEqual([0, 0, 0, 0])
  expect(release).toHaveBeenCalledTimes(1)
  await actions.retryProblem('take-held')
  expect(release).toHaveBeenCalledTimes(2)
})
