import { afterEach, expect, test } from 'vitest'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import { outage } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** A search for a recording's session must not lead back to a session that the recording left. */

const SIZE = 30_000_000
/** Several parts. */
const LARGE_SIZE = 200_000_000
const storageOutage: Failure = { ...outage, origin: 'storage' } as Failure

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const recordingOf = (name: string) => model.journal.recordings.currentByPath(`${FOLDER}/${name}`)
const write = (name: string, content: string, size: number) => {
  model.drive.write(`${FOLDER}/${name}`, content, size)
  model.hint()
}
const answerEverything = () => {
  model.service.fate = () => ({ kind: 'answered' })
}
const refuseParts = (accepted: number) => {
  let parts = 0
  model.service.fate = (call) => {
    if (call === 'part') parts += 1
    return call === 'part' && parts > accepted
      ? { kind: 'refused', failure: storageOutage }
      : { kind: 'answered' }
  }
}
const statuses = () => [...model.service.sessions.values()].map(({ status }) => status)

/** The service accepts one part of take.bin. Sluice cannot derive the ETag of this part. */
const startUpload = async () => {
  model = new ModelStation()
  refuseParts(1)
  write('take.bin', 'content', LARGE_SIZE)
  expect(await model.until(() => (recordingOf('take.bin')?.partsSent ?? 0) > 0)).toBe(true)
  await model.pass(1000)
}

test.each(['present', 'gone'])(
  'a recording does not return to a session that it left, even if an equal file is %s',
  async (equalFile) => {
    await startUpload()
    write('copy.bin', 'content', LARGE_SIZE)
    model.loseJournal()
    model.journal.station.pause(null)
    const areReady = () => ['take.bin', 'copy.bin'].every((name) => recordingOf(name)?.state === 'ready')
    expect(await model.until(areReady)).toBe(true)
    if (equalFile === 'gone') {
      model.drive.remove(`${FOLDER}/copy.bin`)
      model.hint()
      expect(await model.until(() => recordingOf('copy.bin')?.state === 'gone')).toBe(true)
    }
    answerEverything()
    model.journal.station.resume()
    expect(await model.until(() => recordingOf('take.bin')?.state === 'processed', 600)).toBe(true)
    expect(statuses().filter((status) => status === 'processed')).toHaveLength(1)
  },
)

test('a recording does not return to a session that it left, even after several restarts', async () => {
  await startUpload()
  model.loseJournal()
  answerEverything()
  const wasAbandoned = () =>
    recordingOf('take.bin')?.state === 'ready' && recordingOf('take.bin')?.mismatches === 1
  expect(await model.until(wasAbandoned)).toBe(true)
  for (let restarts = 0; restarts < 3; restarts += 1) {
    model.restart()
    expect(recordingOf('take.bin')).toMatchObject({ findSessionFirst: false })
  }
  expect(await model.until(() => recordingOf('take.bin')?.state === 'processed')).toBe(true)
  expect(recordingOf('take.bin')?.mismatches).toBe(1)
})

test('a recording whose session has failed gets no second session, even if a completion answer was lost', async () => {
  model = new ModelStation()
  let lostAtMs: number | null = null
  model.service.fate = (call) => {
    if (call === 'complete' && lostAtMs === null) {
      lostAtMs = model.nowMs
      return { kind: 'lost', failure: { kind: 'timeout', origin: 'control', connected: true } as Failure }
    }
    // For 40 s, the service denies that the session exists.
    if (call === 'retrieve' && lostAtMs !== null && model.nowMs < lostAtMs + 40_000)
      return { kind: 'refused', failure: { kind: 'not-found', message: 'no session', requestId: null } }
    return { kind: 'answered' }
  }
  write('take.bin', 'content', SIZE)
  expect(await model.until(() => lostAtMs !== null)).toBe(true)
  const [session] = model.service.sessions.values()
  if (session === undefined) throw new Error('there is no session')
  session.status = 'failed'
  const isOver = () => ['processed', 'failed'].includes(recordingOf('take.bin')?.state ?? '')
  expect(await model.until(isOver)).toBe(true)
  expect(statuses()).toEqual(['failed'])
})
