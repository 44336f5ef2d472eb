import { afterEach, expect, test } from 'vitest'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import { outage } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** A file is uploaded and removed after a copy of the data folder was made. Then the copy replaces the data folder. */

const HOUR_MS = 3_600_000
const SIZE = 30_000_000
const storageOutage: Failure = { ...outage, origin: 'storage' } as Failure

let model: ModelStation
/** The service cannot return this session. */
let brokenSession: string | null = null
afterEach(() => {
  brokenSession = null
  model.closeAndExpectNoBugs()
})

const createModel = async () => {
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: (id, signal) =>
        id === brokenSession ? Promise.resolve(failed(outage)) : client.retrieveSession(id, signal),
    }),
  })
  await model.pass(HOUR_MS)
}

const take = () => model.journal.recordings.currentByPath(`${FOLDER}/take.bin`)
const isShownAsLost = () => take()?.problem?.code === 'file-vanished'
const answerEverything = () => {
  model.service.fate = () => ({ kind: 'answered' })
}

/** Keeps the recording in this state until the journal is copied. */
const beforeCopy = {
  ready: () => model.journal.station.pause(null),
  'ready, with a lost answer': () => {
    model.service.fate = (call) =>
      call === 'create' ? { kind: 'lost', failure: outage } : { kind: 'answered' }
  },
  uploading: () => {
    model.service.fate = (call) =>
      call === 'part' ? { kind: 'refused', failure: storageOutage } : { kind: 'answered' }
  },
} as const

const recordAndCopy = async (state: keyof typeof beforeCopy) => {
  await createModel()
  beforeCopy[state]()
  model.drive.write(`${FOLDER}/take.bin`, 'content', SIZE)
  model.hint()
  const hasLostAnswer = () => state !== 'ready, with a lost answer' || model.service.sessions.size === 1
  const isThere = () => take()?.state === state.split(',')[0] && hasLostAnswer()
  expect(await model.until(isThere)).toBe(true)
  return model.copyJournal()
}

test.each(['ready', 'ready, with a lost answer', 'uploading'] as const)(
  'a file that was uploaded and removed after the copy is not shown as lost (state in the copy: %s)',
  async (state) => {
    const restore = await recordAndCopy(state)
    answerEverything()
    model.journal.station.resume()
    expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
    model.drive.remove(`${FOLDER}/take.bin`)
    await model.pass(HOUR_MS)
    restore()
    model.journal.station.resume()
    expect(await model.until(() => take()?.state === 'processed')).toBe(true)
    expect(take()).toMatchObject({ sessionId: 'ses_1', problem: null })
    expect(model.service.sessions.size).toBe(1)
  },
)

test.each(['ready', 'uploading'] as const)(
  'a file that was removed before its upload is still shown as lost (state: %s)',
  async (state) => {
    const restore = await recordAndCopy(state)
    model.drive.remove(`${FOLDER}/take.bin`)
    restore()
    answerEverything()
    model.journal.station.resume()
    expect(await model.until(isShownAsLost)).toBe(true)
    for (let rounds = 0; rounds < 5; rounds += 1) {
      await model.pass(60_000)
      await model.round()
    }
    const calls = model.service.calls.length
    for (let rounds = 0; rounds < 20; rounds += 1) {
      await model.pass(60_000)
      await model.round()
    }
    expect(isShownAsLost()).toBe(true)
    expect(model.service.calls.length).toBe(calls)
  },
)

/** Copies the journal during the upload, waits until the recording is processed, and removes its file. */
const removeSinceCopy = async () => {
  const restore = await recordAndCopy('uploading')
  answerEverything()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  model.drive.remove(`${FOLDER}/take.bin`)
  await model.pass(HOUR_MS)
  return restore
}

const wait = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute += 1) {
    await model.pass(60_000)
    await model.round()
  }
}

const failures: readonly (readonly [string, Failure])[] = [
  ['500', outage],
  [
    '429',
    { kind: 'rate-limited', origin: 'control', retryAfterMs: 5_000, message: 'slow down', requestId: null },
  ],
]

test.each(failures)('if the service answers %s for a while, Sluice asks again', async (_status, failure) => {
  const restore = await removeSinceCopy()
  restore()
  model.service.fate = (call) => (call === 'retrieve' ? { kind: 'refused', failure } : { kind: 'answered' })
  expect(await model.until(isShownAsLost)).toBe(true)
  await wait(5)
  expect(isShownAsLost()).toBe(true)
  answerEverything()
  await wait(70)
  expect(take()?.state).toBe('processed')
})

test('after a restart, Sluice still checks whether the recording is safe', async () => {
  const restore = await removeSinceCopy()
  restore()
  model.service.fate = () => ({ kind: 'refused', failure: outage })
  expect(await model.until(isShownAsLost)).toBe(true)
  model.restart()
  answerEverything()
  expect(await model.until(() => take()?.state === 'processed')).toBe(true)
})

test('if the session in the journal was deleted, Sluice finds the session that replaced it', async () => {
  const restore = await recordAndCopy('uploading')
  model.service.sessions.delete('ses_1')
  answerEverything()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  const sessionId = take()?.sessionId
  expect(sessionId).not.toBe('ses_1')
  model.drive.remove(`${FOLDER}/take.bin`)
  await model.pass(HOUR_MS)
  restore()
  expect(await model.until(() => take()?.state === 'processed')).toBe(true)
  expect(take()?.sessionId).toBe(sessionId)
})

test('a session that is processed only later makes the recording safe', async () => {
  const restore = await removeSinceCopy()
  const session = model.service.sessions.get('ses_1')
  if (session === undefined) throw new Error('there is no session')
  Object.assign(session, { status: 'uploaded' })
  restore()
  expect(await model.until(isShownAsLost)).toBe(true)
  await wait(5)
  Object.assign(session, { status: 'processed' })
  await wait(5)
  expect(take()?.state).toBe('processed')
})

test('two equal files that were removed since the copy are both safe', async () => {
  await createModel()
  model.journal.station.pause(null)
  for (const name of ['take.bin', 'copy.bin']) model.drive.write(`${FOLDER}/${name}`, 'content', SIZE)
  model.hint()
  expect(await model.until(() => model.recordings().every(({ state }) => state === 'ready'))).toBe(true)
  const restore = model.copyJournal()
  model.journal.station.resume()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  for (const name of ['take.bin', 'copy.bin']) model.drive.remove(`${FOLDER}/${name}`)
  await model.pass(HOUR_MS)
  restore()
  model.journal.station.resume()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
})

test('a session that the service cannot return does not delay the check of other recordings', async () => {
  await createModel()
  beforeCopy.uploading()
  const names = ['take.bin', 'b.bin', 'c.bin']
  for (const name of names) model.drive.write(`${FOLDER}/${name}`, `content of ${name}`, SIZE)
  model.hint()
  const uploading = () => model.recordings().find(({ state }) => state === 'uploading')
  const isHashed = () => model.recordings().every(({ state }) => state === 'uploading' || state === 'ready')
  expect(
    await model.until(() => model.recordings().length === 3 && uploading() !== undefined && isHashed()),
  ).toBe(true)
  const unreadableSession = uploading()?.sessionId ?? null
  const restore = model.copyJournal()
  answerEverything()
  expect(await model.until(() => model.areAllProcessed(3))).toBe(true)
  for (const name of names) model.drive.remove(`${FOLDER}/${name}`)
  await model.pass(HOUR_MS)
  restore()
  brokenSession = unreadableSession
  expect(
    await model.until(() => model.recordings().filter(({ state }) => state === 'processed').length === 2),
  ).toBe(true)
})

test('a removed file that returns under a new name after the rollback is not uploaded twice', async () => {
  const restore = await recordAndCopy('uploading')
  answerEverything()
  expect(await model.until(() => take()?.state === 'processing')).toBe(true)
  const session = model.service.sessions.get('ses_1')
  if (session === undefined) throw new Error('there is no session')
  // The service needs an hour for the processing.
  Object.assign(session, { status: 'processing', completedAtMs: model.nowMs + HOUR_MS })
  model.drive.remove(`${FOLDER}/take.bin`)
  restore()
  expect(await model.until(isShownAsLost)).toBe(true)
  model.drive.write(`${FOLDER}/moved.bin`, 'content', SIZE)
  model.restart()
  await wait(5)
  Object.assign(session, { completedAtMs: 0 })
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(model.service.sessions.size).toBe(1)
})

test('an outage after the rollback only delays the check', async () => {
  const restore = await recordAndCopy('uploading')
  answerEverything()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  model.drive.remove(`${FOLDER}/take.bin`)
  await model.pass(HOUR_MS)
  restore()
  model.service.fate = () => ({ kind: 'refused', failure: outage })
  expect(await model.until(isShownAsLost)).toBe(true)
  for (let rounds = 0; rounds < 5; rounds += 1) {
    await model.pass(60_000)
    await model.round()
  }
  expect(isShownAsLost()).toBe(true)
  answerEverything()
  expect(await model.until(() => take()?.state === 'processed')).toBe(true)
})

test('`--until-idle` does not end before the service has answered whether a vanished recording is safe', async () => {
  const restore = await removeSinceCopy()
  restore()
  model.service.fate = (call) =>
    call === 'retrieve' ? { kind: 'refused', failure: outage } : { kind: 'answered' }
  expect(await model.until(isShownAsLost)).toBe(true)
  expect(model.remainingWork()).toBe('temporary')
  answerEverything()
  await wait(70)
  expect(take()?.state).toBe('processed')
  expect(model.remainingWork()).toBe('nothing')
})

test('`--until-idle` ends after the service has answered that it does not have a vanished recording', async () => {
  const restore = await recordAndCopy('uploading')
  model.drive.remove(`${FOLDER}/take.bin`)
  model.service.sessions.clear()
  restore()
  answerEverything()
  expect(await model.until(isShownAsLost)).toBe(true)
  await wait(5)
  expect(model.remainingWork()).toBe('nothing')
})
