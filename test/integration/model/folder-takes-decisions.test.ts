import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgentCalls } from '../../../main/agent/calls/agent-calls.ts'
import type { CallableAgent } from '../../../main/agent/calls/callable-agent.ts'
import * as commands from '../../../main/agent/calls/commands.ts'
import { actOnPaths } from '../../../main/agent/calls/path-commands.ts'
import { RecordingActions } from '../../../main/agent/calls/recording-actions.ts'
import { NEVER_MS, problemOf } from '../../../main/agent/domain/problems.ts'
import { calls } from '../../../shared/ipc/ipc.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER } from '../../support/model/station.ts'
import { BAG, TakeStation } from '../../support/model/take-station.ts'

/** A user retries, dismisses or ignores one file of a take. These tests check what happens to its other files. */

let model: TakeStation
beforeEach(() => {
  model = new TakeStation()
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

test('priority and retry apply to all files of a take, and the path of the take selects all of them', async () => {
  model.write('bag/bag_0.mcap')
  model.write('bag/bag_1.mcap')
  model.write('lone.bin')
  await model.until(() => model.recordings().length === 3)
  const actions = new RecordingActions(model.journal, () => ({ service: null, sending: true }))
  expect(await actions.run('prioritise', { ids: [model.at('bag/bag_0.mcap').id] })).toMatchObject({
    acted: 2,
    skipped: 0,
  })
  expect(model.at('bag/bag_1.mcap').prioritised).toBe(true)
  expect(model.at('lone.bin').prioritised).toBe(false)
  model.drive.fate = (call, path) =>
    call === 'hash' && path.startsWith(BAG) ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' } : null
  expect(await model.until(() => model.at('bag/bag_1.mcap').problem !== null)).toBe(true)
  expect(await model.until(() => model.at('bag/bag_0.mcap').problem !== null)).toBe(true)
  actOnPaths(model.journal, { action: 'retry', paths: [BAG] })
  expect(model.at('bag/bag_0.mcap').nextAttemptAtMs).toBe(0)
  expect(model.at('bag/bag_1.mcap').nextAttemptAtMs).toBe(0)
  expect(model.journal.receipts.ids({ kind: 'path', path: BAG }, 10)).toHaveLength(2)
})

test('“Upload now” and its undo apply to all files of a take', async () => {
  const tomorrow = (['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const)[
    (new Date(model.nowMs).getDay() + 1) % 7
  ]!
  const { windows } = settingsSchema.shape.transfer.parse({
    windows: [{ days: [tomorrow], from: '22:00', to: '23:00' }],
  })
  model.settings = { ...model.settings, transfer: { ...model.settings.transfer, windows } }
  model.write('bag/bag_0.mcap')
  model.write('bag/bag_1.mcap')
  await model.until(() => model.recordings().length === 2)
  const call = createAgentCalls(
    {
      journal: model.journal,
      settings: model.settings,
      nowMs: () => model.nowMs,
    } as unknown as CallableAgent,
    { info: () => {}, warn: () => {}, error: () => {} },
  )
  const { id } = model.at('bag/bag_0.mcap')
  expect(await call('uploadNow', { id })).toMatchObject({ ok: true })
  expect(model.journal.station.uploadNow()?.recordingIds).toHaveLength(2)
  expect(await call('cancelUploadNow', { id })).toMatchObject({ ok: true })
  expect(model.journal.station.uploadNow()).toBeNull()
})

const writeTwoUnreadableFiles = async () => {
  model.drive.fate = (call) =>
    call === 'hash' ? { kind: 'file-busy', code: 'EIO', detail: 'damaged' } : null
  model.write('bag/a.bin')
  model.write('bag/b.bin')
  const haveProblems = () => model.recordings().every(({ problem }) => problem !== null)
  expect(await model.until(() => model.recordings().length === 2 && haveProblems())).toBe(true)
}
const retryFirst = () =>
  new RecordingActions(model.journal, () => ({ service: null, sending: true })).run('retry', {
    ids: [model.at('bag/a.bin').id],
  })

test('retry of one file does not release a held file of its take', async () => {
  await writeTwoUnreadableFiles()
  for (const endsBy of ['person', 'dismissed'] as const) {
    const problem = { ...problemOf('take-held'), endsBy }
    model.journal.recordings.patch(model.at('bag/b.bin').id, { problem, nextAttemptAtMs: NEVER_MS })
    expect(await retryFirst()).toMatchObject({ acted: 1, skipped: 0 })
    expect(model.at('bag/b.bin').nextAttemptAtMs).toBe(NEVER_MS)
  }
})

test('retry of one file does not upload an ignored file of its take', async () => {
  await writeTwoUnreadableFiles()
  commands.ignore(model.journal, model.at('bag/b.bin'))
  model.drive.fate = () => null
  expect(await model.until(() => model.at('bag/a.bin').state === 'processed')).toBe(true)
  await retryFirst()
  await model.until(() => model.at('bag/b.bin').state === 'processed', 60)
  expect(model.at('bag/b.bin')).toMatchObject({ state: 'queued', problem: { endsBy: 'dismissed' } })
})

test('retry of one file does not upload a failed file of its take that a user dismissed', async () => {
  await model.recordBag()
  model.journal.recordings.transition(
    model.at('bag/bag_1.mcap').id,
    'processed',
    { kind: 'deleted-at-service' },
    { reason: 'deleted', patch: { problem: problemOf('session-deleted') } },
  )
  commands.dismiss(model.journal, model.at('bag/bag_1.mcap'))
  expect(model.at('bag/bag_1.mcap')).toMatchObject({ state: 'failed', problem: null })
  const { id } = model.at('bag/bag_0.mcap')
  await new RecordingActions(model.journal, () => ({ service: null, sending: true })).run('retry', {
    ids: [id],
  })
  expect(model.at('bag/bag_1.mcap').state).toBe('failed')
})

test('the path of a split recording selects all its files, and no other take', async () => {
  model.configure({ take: 'split' })
  for (const name of ['run_0.mcap', 'run_1.mcap', 'run_a_0.mcap', 'run.bin']) model.write(name)
  expect(await model.until(() => model.recordings().length === 4)).toBe(true)
  const path = `${FOLDER}/run`
  actOnPaths(model.journal, { action: 'prioritise', paths: [path] })
  const prioritised = model.recordings().filter((recording) => recording.prioritised)
  expect(prioritised.map(({ name }) => name).sort()).toEqual(['run_0.mcap', 'run_1.mcap'])
  expect(model.journal.receipts.ids({ kind: 'path', path }, 10)).toHaveLength(2)
})

test('a take whose files are all uploaded cannot be moved to the front', async () => {
  await model.recordBag()
  expect(actOnPaths(model.journal, { action: 'prioritise', paths: [BAG] })).toEqual({
    done: [],
    refused: [BAG],
  })
})

// In the list, the row of a take has the lowest ID of its files.
const retryRow = () =>
  new RecordingActions(model.journal, () => ({ service: null, sending: true })).run('retry', {
    ids: [model.at('bag/a.bin').id],
    takes: true,
  })
const holdUntilDecided = (name: string) =>
  model.journal.recordings.patch(model.at(name).id, {
    problem: problemOf('take-held'),
    nextAttemptAtMs: NEVER_MS,
  })

test('retry of a row that shows an unreadable file leaves the ignored and held files of its take alone', async () => {
  await writeTwoUnreadableFiles()
  model.write('bag/c.bin')
  expect(await model.until(() => model.recordings().every(({ problem }) => problem !== null))).toBe(true)
  commands.ignore(model.journal, model.at('bag/a.bin'))
  model.journal.recordings.patch(model.at('bag/b.bin').id, {
    problem: { ...problemOf('file-busy'), endsBy: 'file' },
  })
  holdUntilDecided('bag/c.bin')
  expect(await retryRow()).toMatchObject({ acted: 1, skipped: 0 })
  expect(model.at('bag/a.bin').nextAttemptAtMs).toBe(NEVER_MS)
  expect(model.at('bag/b.bin').nextAttemptAtMs).toBe(0)
  expect(model.at('bag/c.bin').nextAttemptAtMs).toBe(NEVER_MS)
})

test('retry of a row that shows a held file releases the held files of its take, but no ignored file', async () => {
  await writeTwoUnreadableFiles()
  model.drive.fate = () => null
  holdUntilDecided('bag/b.bin')
  expect(await model.until(() => model.at('bag/a.bin').state === 'processed')).toBe(true)
  model.write('bag/c.bin')
  expect(await model.until(() => model.recordings().length === 3)).toBe(true)
  holdUntilDecided('bag/c.bin')
  commands.ignore(model.journal, model.at('bag/c.bin'))
  expect(await retryRow()).toMatchObject({ acted: 1, skipped: 0 })
  expect(model.at('bag/b.bin').nextAttemptAtMs).toBe(0)
  expect(model.at('bag/c.bin')).toMatchObject({ nextAttemptAtMs: NEVER_MS, problem: { endsBy: 'dismissed' } })
})

test('retry of the row of a dismissed take retries its dismissed files', async () => {
  await writeTwoUnreadableFiles()
  for (const name of ['bag/a.bin', 'bag/b.bin']) commands.ignore(model.journal, model.at(name))
  expect(await retryRow()).toMatchObject({ acted: 2, skipped: 0 })
  model.drive.fate = () => null
  expect(await model.areProcessed()).toBe(true)
})

/** "Select all that match" in the list, which shows a take as one row. */
const runOnAllRows = (action: 'retry' | 'dismiss') =>
  new RecordingActions(model.journal, () => ({ service: null, sending: true })).run(
    action,
    calls.retryRecordings.args.parse({ matching: {}, takes: true }),
  )

test('retry of all rows leaves the ignored and held files of a take alone', async () => {
  await writeTwoUnreadableFiles()
  model.write('bag/c.bin')
  model.write('lone.bin')
  expect(await model.until(() => model.recordings().length === 4)).toBe(true)
  expect(await model.until(() => model.recordings().every(({ problem }) => problem !== null))).toBe(true)
  commands.ignore(model.journal, model.at('bag/a.bin'))
  model.journal.recordings.patch(model.at('bag/b.bin').id, {
    problem: { ...problemOf('file-busy'), endsBy: 'file' },
  })
  holdUntilDecided('bag/c.bin')
  expect(await runOnAllRows('retry')).toMatchObject({ acted: 2, skipped: 0 })
  const attempts = ['bag/a.bin', 'bag/b.bin', 'bag/c.bin', 'lone.bin'].map(
    (name) => model.at(name).nextAttemptAtMs,
  )
  expect(attempts).toEqual([NEVER_MS, 0, NEVER_MS, 0])
})

test('dismissing several rows leaves takes with several files alone, because their rows do not show which files have problems', async () => {
  await writeTwoUnreadableFiles()
  model.write('single/d.bin')
  model.write('lone.bin')
  expect(await model.until(() => model.recordings().length === 4)).toBe(true)
  for (const name of ['bag/a.bin', 'bag/b.bin', 'single/d.bin', 'lone.bin'])
    await waitUntilNeedsAttention(name)
  const rows = ['bag/a.bin', 'single/d.bin', 'lone.bin'].map((name) => model.at(name).id)
  const actions = new RecordingActions(model.journal, () => ({ service: null, sending: true }))
  const outcome = await actions.run('dismiss', { ids: rows, takes: true })
  expect(outcome).toMatchObject({ acted: 2, skipped: 1 })
  await actions.undo(outcome.undo ?? 0)
  expect(await runOnAllRows('dismiss')).toMatchObject({ acted: 2, skipped: 1 })
  const dismissed = model.recordings().filter(({ problem }) => problem?.endsBy === 'dismissed')
  expect(dismissed.map(({ path }) => path).sort()).toEqual(
    ['lone.bin', 'single/d.bin'].map((name) => model.at(name).path),
  )
})

test('an action reports only selected rows as skipped, not the other files of their takes', async () => {
  await writeTwoUnreadableFiles()
  model.drive.fate = () => null
  model.write('lone.bin')
  expect(await model.areProcessed()).toBe(true)
  model.write('bag/c.bin')
  model.write('bag/d.bin')
  expect(await model.until(() => model.recordings().length === 5)).toBe(true)
  const actions = new RecordingActions(model.journal, () => ({ service: null, sending: true }))
  const ids = [model.at('bag/a.bin').id, model.at('lone.bin').id]
  expect(await actions.run('pause', { ids, takes: true })).toMatchObject({ acted: 2, skipped: 1 })
  expect(await actions.run('resume', { ids })).toMatchObject({ acted: 2, skipped: 2 })
})

const waitUntilNeedsAttention = async (name: string) => {
  for (let minute = 0; minute < 240 && model.at(name).problem?.endsBy !== 'file'; minute += 1) {
    await model.pass(60_000)
    await model.round()
  }
  expect(model.at(name).problem?.endsBy).toBe('file')
}

test.each([
  ['', () => {}],
  [', also after a restart', () => model.restart()],
])('a dismissed file of a take is uploaded once its marker exists%s', async (_, before) => {
  model.configure({ marker_suffix: '.done' })
  model.write('run/a.bin')
  model.write('run/b.bin')
  model.write('run/b.bin.done')
  await model.passSeconds(1)
  await waitUntilNeedsAttention('run/a.bin')
  expect(model.at('run/b.bin').state).toBe('growing')
  commands.dismiss(model.journal, model.at('run/a.bin'))
  expect(await model.until(() => model.at('run/b.bin').state === 'processed')).toBe(true)
  expect(model.at('run/a.bin')).toMatchObject({ state: 'growing', problem: { endsBy: 'dismissed' } })
  before()
  model.write('run/a.bin.done')
  expect(await model.areProcessed()).toBe(true)
})

test('a dismissed file of a take is uploaded once it can be read', async () => {
  model.drive.fate = (call, path) =>
    call === 'inspect' && path.endsWith('a.bin')
      ? { kind: 'file-busy', code: 'EBUSY', detail: 'locked' }
      : null
  model.write('run/a.bin')
  model.write('run/b.bin')
  await model.passSeconds(1)
  await waitUntilNeedsAttention('run/a.bin')
  commands.dismiss(model.journal, model.at('run/a.bin'))
  expect(await model.until(() => model.at('run/b.bin').state === 'processed')).toBe(true)
  model.drive.fate = () => null
  expect(await model.areProcessed()).toBe(true)
})

test.each(['run/a.bin', 'lone.bin'])(
  'a file that a user ignores while Sluice checks it stays ignored (%s)',
  async (name) => {
    const isInspected = (call: string, path: string) => call === 'inspect' && path === model.at(name).path
    model.drive.fate = (call, path) =>
      isInspected(call, path) ? { kind: 'file-busy', code: 'EBUSY', detail: 'locked' } : null
    model.write(name)
    model.write('run/b.bin')
    await model.passSeconds(1)
    await waitUntilNeedsAttention(name)
    let isIgnored = false
    model.drive.fate = (call, path) => {
      if (!isIgnored && isInspected(call, path)) {
        isIgnored = true
        commands.ignore(model.journal, model.at(name))
      }
      return null
    }
    expect(await model.until(() => isIgnored)).toBe(true)
    expect(await model.until(() => model.at('run/b.bin').state === 'processed')).toBe(true)
    await model.passSeconds(60)
    expect(model.at(name)).toMatchObject({
      state: 'growing',
      problem: { endsBy: 'dismissed' },
      nextAttemptAtMs: NEVER_MS,
    })
  },
)

test('an ignored file with an end mark stays ignored after a restart', async () => {
  model.drive.inspection = { ...model.drive.inspection, format: 'mcap', complete: 'yes' }
  model.drive.fate = (call, path) =>
    call === 'inspect' && path.endsWith('.mcap')
      ? { kind: 'file-busy', code: 'EBUSY', detail: 'locked' }
      : null
  model.write('run/a.mcap')
  model.write('lone.mcap')
  await model.passSeconds(1)
  for (const name of ['run/a.mcap', 'lone.mcap']) {
    await waitUntilNeedsAttention(name)
    commands.ignore(model.journal, model.at(name))
  }
  model.drive.fate = () => null
  model.restart()
  await model.passSeconds(60)
  const ignored = { state: 'growing', problem: { endsBy: 'dismissed' } }
  expect(model.at('run/a.mcap')).toMatchObject(ignored)
  expect(model.at('lone.mcap')).toMatchObject(ignored)
})
