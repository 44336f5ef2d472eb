import { afterEach, expect, test } from 'vitest'
import type { RemoteSession, ServiceClient } from '../../../main/agent/ports/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** After a failover of the service, a completed session has the status `uploading` again. */

const PARTS = 3
const SIZE = PARTS * 64_000_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const activityOf = (kind: string) =>
  model.journal.activity
    .read({ groups: [], fromMs: null, toMs: null, before: null, limit: 1_000 })
    .filter(({ activity }) => activity.kind === kind)

const reopen = (lostParts: readonly number[]) => {
  for (const session of model.service.sessions.values()) {
    if (session.status === 'uploading') continue
    session.status = 'uploading'
    for (const part of lostParts) session.parts.delete(part)
  }
}

const areAllIn = (state: string) => () =>
  model.recordings().length > 0 && model.recordings().every((recording) => recording.state === state)

test.each([
  ['two parts are gone', [1, 3]],
  ['all parts are there', []],
])('sends the missing parts and completes the session again: %s', async (_, lostParts) => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  await model.until(areAllIn('processing'), 60)
  reopen(lostParts)
  expect(await model.until(areAllIn('processed'), 100)).toBe(true)
  expect(model.service.countCalls('part')).toBe(PARTS + lostParts.length)
  expect(model.service.countCalls('complete')).toBe(2)
  expect(model.service.countCalls('create')).toBe(1)
  expect(activityOf('reopened')).toHaveLength(1)
  expect(model.firstRecording().problem).toBeNull()
})

test('completes the session again although its file is gone, if no part is missing', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  await model.until(areAllIn('processing'), 60)
  model.drive.remove(`${FOLDER}/take.bin`)
  model.hint()
  reopen([])
  expect(await model.until(areAllIn('processed'), 100)).toBe(true)
})

test('keeps a reopened session whose file was replaced, because the session may hold the only copy', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  await model.until(areAllIn('processing'), 60)
  const [firstId] = model.service.sessions.keys()
  reopen([1, 3])
  expect(await model.until(areAllIn('uploading'), 100)).toBe(true)
  model.drive.write(`${FOLDER}/take.bin`, 'another night', SIZE)
  model.hint()
  const isUploaded = () =>
    model.recordings().some(({ state, sessionId }) => state === 'processed' && sessionId !== firstId)
  expect(await model.until(isUploaded, 200)).toBe(true)
  await model.pass(600_000)
  await model.round()
  expect([...model.service.sessions.keys()]).toContain(firstId)
})

test('finds many reopened sessions in the list, and completes them again', async () => {
  model = new ModelStation()
  for (let n = 1; n <= 6; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `night ${n}`, 30_000_000)
  // Processing is slow, so that all sessions are due together.
  await model.until(() => {
    for (const session of model.service.sessions.values()) session.completedAtMs = Number.POSITIVE_INFINITY
    return model.recordings().length === 6 && areAllIn('processing')()
  }, 60)
  await model.pass(600_000)
  reopen([1])
  expect(await model.until(areAllIn('processed'), 100)).toBe(true)
  expect(model.service.calls).toContain('list')
  expect(activityOf('reopened')).toHaveLength(6)
  expect(model.service.completeSessions()).toHaveLength(6)
})

test('ignores a replica that is stale for a few seconds', async () => {
  let staleSession: RemoteSession | null = null
  let completedAtMs = Number.POSITIVE_INFINITY
  const lagBehind = (client: ServiceClient): ServiceClient => ({
    ...client,
    completeSession: async (id, ...rest) => {
      const staleAnswer = await client.retrieveSession(id, rest[2])
      staleSession = staleAnswer.ok ? staleAnswer.value.value : null
      completedAtMs = model.nowMs
      return client.completeSession(id, ...rest)
    },
    retrieveSession: async (...args) => {
      const answer = await client.retrieveSession(...args)
      const isBehind = model.nowMs - completedAtMs < 10_000
      return answer.ok && staleSession !== null && isBehind
        ? { ok: true, value: { ...answer.value, value: staleSession } }
        : answer
    },
  })
  model = new ModelStation({ wrapClient: lagBehind })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  expect(await model.until(areAllIn('processed'), 100)).toBe(true)
  expect({
    parts: model.service.countCalls('part'),
    completions: model.service.countCalls('complete'),
  }).toEqual({
    parts: PARTS,
    completions: 1,
  })
})

test('shows a problem after a few completions if a session keeps reopening, and completes it later', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  await model.until(() => {
    reopen([2])
    return model.recordings()[0]?.problem?.code === 'session-reopened'
  }, 200)
  expect(model.firstRecording()).toMatchObject({
    state: 'processing',
    problem: { code: 'session-reopened', owner: 'service', endsBy: 'answer' },
  })
  const completions = model.service.countCalls('complete')
  expect(completions).toBeLessThanOrEqual(5)
  expect(await model.until(areAllIn('processed'), 100)).toBe(true)
  expect(model.firstRecording().problem).toBeNull()
})
