import { afterEach, expect, test } from 'vitest'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { connectionReset } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Sluice repeats a creation whose answer was lost, because the service may or may not have created the session. */

const HOUR_MS = 3_600_000
const SIZE = 30_000_000
const FILE = `${FOLDER}/take.bin`
const refusal: Failure = {
  kind: 'rejected',
  origin: 'control',
  status: 400,
  code: 'parameter_invalid',
  message: 'no such device',
  param: 'device',
  requestId: 'req_1',
}

let model: ModelStation
/** If true, the service refuses a creation before it looks up the idempotency key. */
let isRefusing = false
const openRefusingStation = () =>
  new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: (...args) =>
        isRefusing ? Promise.resolve(failed(refusal)) : client.createSession(...args),
    }),
  })
afterEach(() => {
  model.close()
  isRefusing = false
  expect(model.bugs).toEqual([])
})

const setFolder = (options: object) => {
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, ...options }],
  })
}

const loseCreationAnswer = async () => {
  model.service.fate = (call) =>
    call === 'create' ? { kind: 'lost', failure: connectionReset } : { kind: 'answered' }
  model.drive.write(FILE, 'a night', SIZE)
  expect(await model.until(() => model.service.sessions.size === 1)).toBe(true)
}

test.each([
  ['in the same run', () => {}],
  ['in the run after a kill', () => model.restart()],
])('after a refused repetition %s, Sluice uses the session of the first request', async (_when, act) => {
  model = openRefusingStation()
  await loseCreationAnswer()
  act()
  model.service.fate = () => ({ kind: 'answered' })
  isRefusing = true
  expect(await model.until(() => model.firstRecording().problem?.code === 'device-refused')).toBe(true)
  isRefusing = false
  expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('Sluice searches for no session after the service refuses the first request', async () => {
  model = openRefusingStation()
  isRefusing = true
  model.drive.write(FILE, 'a night', SIZE)
  expect(await model.until(() => model.recordings()[0]?.problem?.code === 'device-refused')).toBe(true)
  expect(model.firstRecording()).toMatchObject({ findSessionFirst: false, createKeyAtMs: null })
})

test('Sluice deletes the session of a given-up request even if the service refuses the repetition for a while', async () => {
  model = openRefusingStation()
  await loseCreationAnswer()
  isRefusing = true
  model.service.fate = () => ({ kind: 'answered' })
  model.drive.write(FILE, 'another night', SIZE)
  model.hint()
  expect(await model.until(() => model.journal.givenUp.count().all === 1, 20)).toBe(true)
  expect(await model.until(() => model.journal.givenUp.count().untried === 0, 20)).toBe(true)
  isRefusing = false
  expect(await model.until(() => model.journal.givenUp.count().all === 0, 60)).toBe(true)
  expect(model.service.deletions).toEqual([{ id: 'ses_1', wasComplete: false }])
})

test('Sluice does not repeat a key after its lifetime, even if the clock of this PC was set back', async () => {
  const keys: string[] = []
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: (request, key, signal) => {
        keys.push(key)
        return client.createSession(request, key, signal)
      },
    }),
  })
  model.wallShiftMs = 8 * HOUR_MS
  await loseCreationAnswer()
  const [firstKey] = keys
  model.wallShiftMs = 0
  await model.pass(30 * HOUR_MS)
  model.restart()
  model.service.fate = () => ({ kind: 'answered' })
  keys.length = 0
  expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
  expect(keys).not.toContain(firstKey)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('Sluice does not repeat the key of a given-up request after its lifetime, even if the clock was set back', async () => {
  model = new ModelStation()
  model.wallShiftMs = 8 * HOUR_MS
  await loseCreationAnswer()
  model.service.fate = (call) => (call === 'create' ? { kind: 'never' } : { kind: 'answered' })
  model.drive.write(FILE, 'another night', SIZE)
  model.hint()
  expect(await model.until(() => model.journal.givenUp.count().all === 1, 20)).toBe(true)
  model.wallShiftMs = 0
  await model.pass(30 * HOUR_MS)
  model.restart()
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.journal.givenUp.count().all === 0, 20)).toBe(true)
  expect(model.service.deletions).toEqual([])
})

test('the search for the session of a lost request uses no list from before this request', async () => {
  model = new ModelStation()
  // The search for this session reads the list of the site and keeps it.
  model.drive.write(`${FOLDER}/earlier.bin`, 'an evening', SIZE)
  expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
  model.service.fate = (call) =>
    call === 'create' ? { kind: 'lost', failure: connectionReset } : { kind: 'answered' }
  model.drive.write(FILE, 'a night', SIZE)
  model.hint()
  expect(await model.until(() => model.service.sessions.size === 2)).toBe(true)
  const id = model.journal.recordings.currentByPath(FILE)?.id ?? 0
  // The key has expired.
  model.journal.recordings.patch(id, { createKeyAtMs: 0 })
  setFolder({ notes: '{7}' })
  const code = () => model.journal.recordings.byId(id)?.problem?.code
  expect(await model.until(() => code() === 'placeholder-unfilled', 40)).toBe(true)
  setFolder({})
  model.service.fate = () => ({ kind: 'answered' })
  model.journal.recordings.patch(id, { nextAttemptAtMs: 0 })
  expect(await model.until(() => model.journal.recordings.byId(id)?.state === 'processed', 40)).toBe(true)
  expect(model.service.sessions.size).toBe(2)
})

test('sends no bytes if the session of the lost answer is complete already', async () => {
  model = openRefusingStation()
  await loseCreationAnswer()
  const restore = model.copyJournal()
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  const parts = model.service.countCalls('part')
  restore()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect(model.service.sessions.size).toBe(1)
  expect(model.service.countCalls('part')).toBe(parts)
})

test.each([
  ['in the same run, without reading the session', () => {}, 0],
  ['after a restart, and reads the session first', () => model.restart(), 1],
])('sends the parts after a repeated creation %s', async (_when, act, retrievals) => {
  model = openRefusingStation()
  await loseCreationAnswer()
  act()
  model.service.fate = () => ({ kind: 'answered' })
  const sessionReads = () => model.service.countCalls('retrieve')
  const before = sessionReads()
  expect(await model.until(() => model.journal.recordings.byId(1)?.state === 'completing')).toBe(true)
  expect(sessionReads() - before).toBe(retrievals)
})
