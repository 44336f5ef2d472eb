import { afterEach, expect, test } from 'vitest'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import { outage } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** An older copy replaces the data folder, and a file was uploaded and then removed since. */

const HOUR_MS = 3_600_000
const SIZE = 30_000_000
const storageOutage: Failure = { ...outage, origin: 'storage' } as Failure

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const take = () => model.journal.recordings.currentByPath(`${FOLDER}/take.bin`)
const isShownAsLost = () => take()?.problem?.code === 'file-vanished'
const answerEverything = () => {
  model.service.fate = () => ({ kind: 'answered' })
}

/** What the service does until the copy, so that the copy shows the recording in this state. */
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
  model = new ModelStation()
  await model.pass(HOUR_MS)
  beforeCopy[state]()
  model.drive.write(`${FOLDER}/take.bin`, 'content', SIZE)
  model.hint()
  const hasLostAnswer = () => state !== 'ready, with a lost answer' || model.service.sessions.size === 1
  const isThere = () => take()?.state === state.split(',')[0] && hasLostAnswer()
  expect(await model.until(isThere)).toBe(true)
  return model.copyJournal()
}

test.each(['ready', 'ready, with a lost answer', 'uploading'] as const)(
  'a file that was uploaded and removed since a copy with the state “%s” is not shown as lost',
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
  'a file that was removed before its upload stays shown as lost (state: %s)',
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

test('an outage after the rollback only delays the answer that the recording is safe', async () => {
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
