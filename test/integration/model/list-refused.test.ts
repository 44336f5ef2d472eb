import { afterEach, expect, test } from 'vitest'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import { outage } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const SIZE = 30_000_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const refusal: Failure = { kind: 'list-refused', message: 'no listing', requestId: 'req_1' }

/** The files arrive while the agent runs, so the agent need not search the list for their sessions. */
const record = async (count: number) => {
  await model.round()
  for (let n = 1; n <= count; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `night ${n}`, SIZE)
  model.hint()
}

const refuseList = () => {
  model.service.fate = (call) =>
    call === 'list' ? { kind: 'refused', failure: refusal } : { kind: 'answered' }
}

test('polls each session with its own request if the key may not list sessions', async () => {
  model = new ModelStation()
  await record(8)
  refuseList()
  const conditions = new Set<string>()
  const isDone = await model.until(() => {
    conditions.add(String(model.station.code('key')))
    return model.areAllProcessed(8)
  }, 60)
  expect(isDone).toBe(true)
  expect([...conditions]).toEqual(['null'])
  expect(model.service.countCalls('list')).toBeLessThan(3)
})

test('the station continues after an outage although its key may not list sessions', async () => {
  model = new ModelStation()
  await record(1)
  model.service.fate = () => ({ kind: 'refused', failure: outage })
  await model.until(() => model.station.code('control') !== null, 40)
  refuseList()
  expect(await model.until(() => model.areAllProcessed(1), 60)).toBe(true)
})

test('a recording whose session may already exist waits and shows why, while other recordings continue', async () => {
  model = new ModelStation()
  await record(1)
  // The service creates the session, but its answer is unreadable.
  const unreadableAnswer: Failure = {
    kind: 'unreadable-answer',
    detail: 'id: is not a usable id',
    requestId: 'req_2',
  }
  model.service.fate = (call) => {
    if (call === 'create') return { kind: 'lost', failure: unreadableAnswer }
    return call === 'list' ? { kind: 'refused', failure: refusal } : { kind: 'answered' }
  }
  await model.until(() => model.recordings()[0]?.problem?.code === 'look-up-failed', 60)
  expect(model.firstRecording()).toMatchObject({
    state: 'ready',
    problem: { code: 'look-up-failed', endsBy: 'key' },
  })
  refuseList()
  model.drive.write(`${FOLDER}/other.bin`, 'another night', SIZE)
  model.hint()
  const other = () => model.recordings().find(({ name }) => name === 'other.bin')
  expect(await model.until(() => other()?.state === 'processed', 60)).toBe(true)
  expect(model.service.sessions.size).toBe(2)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.areAllProcessed(2), 60)).toBe(true)
  expect(model.service.sessions.size).toBe(2)
})
