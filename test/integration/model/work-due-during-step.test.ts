import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import type { ServiceCall } from '../../support/model/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** If work becomes due during a step, the stage sleeps only briefly and does the work in its next step. */

const FILE = `${FOLDER}/take.bin`
const SOON_MS = 10
/** Below 4 GiB, so that the hasher of small files takes the file. */
const SIZE = 8_000_001
const DAY_MS = 86_400_000

/** Longer than any stage sleeps by itself. */
const HOUR_MS = 3_600_000
const serverError: Failure = {
  kind: 'service',
  origin: 'control',
  status: 500,
  retryAfterMs: HOUR_MS,
  message: 'later',
  requestId: null,
}

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => {
  vi.restoreAllMocks()
  model.close()
  expect(model.bugs).toEqual([])
})

const refuse = (refusedCall: ServiceCall) => {
  model.service.fate = (call) =>
    call === refusedCall ? { kind: 'refused', failure: serverError } : { kind: 'answered' }
}

const waitMsOf = (stage: string): number => {
  const waitMs = model.waits.get(stage)
  if (waitMs === undefined) throw new Error(`no step of ${stage}`)
  return waitMs
}

/** Creates a recording in this state whose next attempt is due in 3 ms. */
const createHeldRecording = async (state: RecordingState): Promise<void> => {
  model.drive.write(FILE, 'any', SIZE)
  expect(await model.until(() => model.recordings()[0]?.attempts === 1)).toBe(true)
  expect(model.firstRecording().state).toBe(state)
  model.journal.recordings.patch(model.firstRecording().id, { nextAttemptAtMs: model.nowMs + 3 })
}

/** Makes the query for due work in this state take 5 ms. */
const slowDownQuery = (state: RecordingState) => {
  const { work } = model.journal
  const due = work.due.bind(work)
  return vi.spyOn(work, 'due').mockImplementation((...call) => {
    const rows = due(...call)
    if (call[0] === state) void model.pass(5)
    return rows
  })
}

test.each([
  { stage: 'opener', state: 'ready', serviceCall: 'create' },
  { stage: 'completer', state: 'completing', serviceCall: 'complete' },
  { stage: 'follower', state: 'processing', serviceCall: 'retrieve' },
] as const)(
  'the $stage does not miss work that becomes due during its query',
  async ({ stage, state, serviceCall }) => {
    refuse(serviceCall)
    await createHeldRecording(state)
    const spy = slowDownQuery(state)
    await model.round()
    expect(model.firstRecording().state).toBe(state)
    expect(waitMsOf(stage)).toBeLessThanOrEqual(SOON_MS)
    spy.mockRestore()
    // The stage already works on the only due recording, so it must sleep.
    model.service.fate = (call) => ({ kind: call === serviceCall ? 'never' : 'answered' })
    model.service.calls.length = 0
    await model.round()
    expect(model.service.calls.length).toBeGreaterThan(0)
    slowDownQuery(state)
    for (let steps = 0; steps < 3; steps += 1) {
      await model.round()
      expect(waitMsOf(stage)).toBeGreaterThanOrEqual(1_000)
    }
  },
)

test('the hasher does not miss work that becomes due during its query', async () => {
  model.drive.fate = (call) => (call === 'hash' ? { kind: 'file-busy', detail: 'held' } : null)
  await createHeldRecording('queued')
  const { work } = model.journal
  const toHash = work.toHash.bind(work)
  vi.spyOn(work, 'toHash').mockImplementation((share, ...call) => {
    const rows = toHash(share, ...call)
    if (share.among === 'all-but' && share.fromBytes === 0) void model.pass(5)
    return rows
  })
  await model.round()
  expect(model.firstRecording().state).toBe('queued')
  expect(waitMsOf('hasher of small files')).toBeLessThanOrEqual(SOON_MS)
})

test('the follower does not miss sessions that become due while it reads the list', async () => {
  model.settings = settingsSchema.parse({ ...model.settings, follow: { poll_seconds: 600 } })
  for (let take = 0; take < 6; take += 1) model.drive.write(`${FOLDER}/take-${take}.bin`, `take ${take}`, 10)
  refuse('retrieve')
  const areAllProcessing = () => model.recordings().every(({ state }) => state === 'processing')
  expect(await model.until(() => model.recordings().length === 6 && areAllProcessing())).toBe(true)
  for (const session of model.service.sessions.values()) session.completedAtMs = model.nowMs + HOUR_MS
  const [dueLater, ...dueNow] = model.recordings()
  for (const { id } of dueNow) model.journal.recordings.patch(id, { attempts: 0, nextAttemptAtMs: 0 })
  const dueAtMs = model.nowMs + 2_000
  model.journal.recordings.patch(dueLater!.id, { attempts: 0, nextAttemptAtMs: dueAtMs })
  model.service.calls.length = 0
  model.service.fate = (call) => {
    if (call === 'list') void model.pass(3_000)
    return { kind: 'answered' }
  }
  await model.round()
  expect(model.service.calls).toContain('list')
  expect(model.journal.recordings.byId(dueLater!.id)).toMatchObject({ nextAttemptAtMs: dueAtMs })
  expect(waitMsOf('follower')).toBeLessThanOrEqual(SOON_MS)
  await model.round()
  expect(model.journal.recordings.byId(dueLater!.id)?.nextAttemptAtMs).toBeGreaterThan(model.nowMs)
})

test('the remover does not miss files that become due during its query', async () => {
  model.drive.write(FILE, 'any', SIZE)
  expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ ...model.settings.folders[0], after_upload: { action: 'delete', days: 1 } }],
  })
  await model.pass(2 * DAY_MS)
  model.journal.removals.wait(model.firstRecording(), 'no-answer', null, model.nowMs + 3)
  const { removals } = model.journal
  const due = removals.due.bind(removals)
  const spy = vi.spyOn(removals, 'due').mockImplementation((...call) => {
    const rows = due(...call)
    void model.pass(5)
    return rows
  })
  await model.round()
  expect(model.drive.paths()).toContain(FILE)
  expect(waitMsOf('remover')).toBeLessThanOrEqual(SOON_MS)
  spy.mockRestore()
  await model.round()
  expect(model.drive.paths()).not.toContain(FILE)
  expect(waitMsOf('remover')).toBeGreaterThanOrEqual(1_000)
})
