import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

let opened: TempJournal
let journal: Journal
let actions: RecordingActions
beforeEach(() => {
  opened = openTempJournal(() => 1_000_000)
  journal = opened.journal
  actions = new RecordingActions(journal, () => view)
})
afterEach(() => opened.close())

const add = (n: number): Recording => {
  if (folder === undefined) throw new Error('one folder is needed')
  const identity = { device: '1', inode: `${n}`, sizeBytes: n, mtimeNs: '1', ctimeNs: '1' }
  return journal.recordings.add({ path: `/rec/take-${n}.bin`, identity }, folder, { findSessionFirst: false })
}
const gone = (n: number): Recording => {
  const { id } = add(n)
  const problem = problemOf('file-vanished')
  journal.recordings.transition(id, 'growing', { kind: 'vanished' }, { reason: 'gone', patch: { problem } })
  return now(id)
}
const now = (id: number): Recording => {
  const recording = journal.recordings.byId(id)
  if (recording === null) throw new Error(`no recording ${id}`)
  return recording
}
const matching = (asked: Readonly<Record<string, unknown>>) =>
  calls.retryRecordings.args.parse({ matching: asked })

describe('an action on recordings', () => {
  test('applies to the recordings that allow it, and reports their number', async () => {
    const ids = [add(1).id, add(2).id, gone(3).id]
    await actions.run('pause', { ids: [ids[0] ?? 0] })
    expect(await actions.run('pause', { ids })).toMatchObject({ acted: 1, skipped: 2 })
    expect(ids.map((id) => now(id).paused)).toEqual([true, true, false])
  })

  test('applies to every recording that matches at its start, even if it stops matching later', async () => {
    journal.transaction(() => {
      for (let n = 1; n <= 501; n += 1) gone(n)
    })
    add(502)
    const chosen = matching({ standings: ['needs-attention'] })
    expect(await actions.run('dismiss', chosen)).toMatchObject({ acted: 501, skipped: 0 })
    expect(journal.views.figures(view).standings()).toMatchObject({
      'needs-attention': 0,
      dismissed: 501,
      recording: 1,
    })
  })

  test('runs in steps and reports its progress until the end', async () => {
    journal.transaction(() => {
      for (let n = 1; n <= 450; n += 1) add(n)
    })
    const running = actions.run('pause', matching({}))
    const seen = [actions.progress]
    for (; actions.progress !== null; await new Promise((turn) => setImmediate(turn)))
      seen.push(actions.progress)
    await running
    expect(seen).toContainEqual({ done: 0, total: 450 })
    expect(seen).toContainEqual({ done: 400, total: 450 })
    expect(actions.progress).toBeNull()
  })
})

describe('undo restores', () => {
  test('only recordings that were not paused before', async () => {
    const ids = [add(1).id, add(2).id]
    await actions.run('pause', { ids: [ids[0] ?? 0] })
    const { undo } = await actions.run('pause', { ids })
    expect(await actions.undo(undo ?? 0)).toEqual({ acted: 1, skipped: 0, undo: null })
    expect(ids.map((id) => now(id).paused)).toEqual([true, false])
  })

  test('recordings that were resumed or moved to the front', async () => {
    const { id } = add(1)
    await actions.run('pause', { ids: [id] })
    const resumed = await actions.run('resume', { ids: [id] })
    await actions.undo(resumed.undo ?? 0)
    expect(now(id).paused).toBe(true)
    const first = await actions.run('prioritise', { ids: [id] })
    expect(now(id).prioritised).toBe(true)
    await actions.undo(first.undo ?? 0)
    expect(now(id).prioritised).toBe(false)
  })

  test('dismissed problems with their start times', async () => {
    const before = gone(1)
    const { undo } = await actions.run('dismiss', { ids: [before.id] })
    expect(now(before.id).problem).toBeNull()
    await actions.undo(undo ?? 0)
    expect(now(before.id)).toEqual(before)
  })

  test('no recording that has changed its state since the action', async () => {
    const { id } = gone(1)
    const { undo } = await actions.run('dismiss', { ids: [id] })
    journal.recordings.transition(id, 'gone', { kind: 'reappeared' }, { reason: 'back' })
    expect(await actions.undo(undo ?? 0)).toEqual({ acted: 0, skipped: 1, undo: null })
    expect(now(id).problem).toBeNull()
  })

  test('only the last action, once, and never a retry', async () => {
    const { id } = add(1)
    const first = await actions.run('prioritise', { ids: [id] })
    const pause = await actions.run('pause', { ids: [id] })
    expect(await actions.undo(first.undo ?? 0)).toBeNull()
    expect(await actions.undo(pause.undo ?? 0)).not.toBeNull()
    expect(await actions.undo(pause.undo ?? 0)).toBeNull()
    expect((await actions.run('retry', { ids: [gone(2).id] })).undo).toBeNull()
  })
})

test('only recordings that still need their file can be paused or moved to the front', () => {
  for (const state of recordingStates) {
    const given = { state, problem: null, paused: false, prioritised: false }
    expect([state, actionApplies('pause', given)]).toEqual([state, needsFile(state)])
    expect([state, actionApplies('prioritise', given)]).toEqual([state, needsFile(state)])
  }
})
