import { afterEach, expect, test } from 'vitest'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import { standingOf } from '../../../main/agent/domain/standing.ts'
import type { RemoteSession, ServiceClient } from '../../../main/agent/ports/service.ts'
import { intendDeletion } from '../../../main/agent/sessions/session-deletion.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { outage } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const ORIGINAL = `${FOLDER}/take.bin`
const COPY = `${FOLDER}/take (copy).bin`
const SIZE = 30_000_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const standingAt = (path: string) => {
  const recording = model.recordingAt(path)
  const view = { service: model.journal.station.serviceInUse(), sending: true }
  return standingOf({ ...recording, endsBy: recording.problem?.endsBy ?? null }, view)
}

const addReadyCopy = async (): Promise<void> => {
  model.drive.write(COPY, 'a night', SIZE)
  model.hint()
  await model.until(() => model.recordings().length === 2 && model.recordingAt(COPY).state === 'ready')
}

const mismatching = (client: ServiceClient): ServiceClient => ({
  ...client,
  completeSession: async () =>
    failed({ kind: 'conflict', code: 'checksum_mismatch', message: 'no', requestId: 'req_1' }),
})

const busy: Failure = { kind: 'conflict', code: 'conflict', message: 'busy', requestId: null }

/** The service keeps refusing to complete the original. The copy is hashed and waits for the original. */
const prepareWaitingCopy = async () => {
  model = new ModelStation()
  model.service.fate = (call) =>
    call === 'complete' ? { kind: 'refused', failure: busy } : { kind: 'answered' }
  model.drive.write(ORIGINAL, 'a night', SIZE)
  await model.until(() => model.recordingAt(ORIGINAL).attempts >= 3)
  await addReadyCopy()
}

test('a copy in a folder of a different site gets a session of its own at that site', async () => {
  model = new ModelStation()
  const other = `${FOLDER}/hall/take.bin`
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab-{1}', settle_seconds: 1, recursive: true }],
  })
  model.restart()
  for (const path of [`${FOLDER}/yard/take.bin`, other]) model.drive.write(path, 'a night', SIZE)
  model.hint()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  const sites = [...model.service.sessions.values()].map(({ request }) => request.site)
  expect(sites.toSorted()).toEqual(['lab-hall', 'lab-yard'])
})

test.each([
  ['create', 'control'],
  ['part', 'storage'],
] as const)(
  'three equal files get one session even if the first requests fail: %s',
  async (failingCall, origin) => {
    model = new ModelStation()
    let failures = 0
    model.service.fate = (call) => {
      if (call !== failingCall || failures >= 4) return { kind: 'answered' }
      failures += 1
      const failure: Failure = {
        kind: 'service',
        origin,
        status: 503,
        retryAfterMs: null,
        message: 'busy',
        requestId: null,
      }
      return { kind: 'refused', failure }
    }
    for (const n of [1, 2, 3]) model.drive.write(`${FOLDER}/take-${n}.bin`, 'a night', SIZE)
    model.hint()
    expect(await model.until(() => model.areAllProcessed(3))).toBe(true)
    expect(model.service.sessions.size).toBe(1)
  },
)

test('two copies in the same subfolder share a session even if the site has a placeholder', async () => {
  model = new ModelStation()
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab-{1}', settle_seconds: 1, recursive: true }],
  })
  model.restart()
  for (const name of ['take.bin', 'take (copy).bin'])
    model.drive.write(`${FOLDER}/yard/${name}`, 'a night', SIZE)
  model.hint()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(model.service.sessions.size).toBe(1)
})

test('a vanished copy at a different site is not safe', async () => {
  model = new ModelStation()
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab-{1}', settle_seconds: 1, recursive: true }],
  })
  model.restart()
  const copy = `${FOLDER}/hall/take.bin`
  model.service.fate = (call) =>
    call === 'create' ? { kind: 'refused', failure: outage } : { kind: 'answered' }
  model.drive.write(`${FOLDER}/yard/take.bin`, 'a night', SIZE)
  model.drive.write(copy, 'a night', SIZE)
  model.hint()
  await model.until(() => model.recordings().filter(({ state }) => state === 'ready').length === 2)
  model.drive.remove(copy)
  model.hint()
  await model.until(() => model.recordings().some(({ state }) => state === 'gone'))
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordings().some(({ state }) => state === 'processed'))).toBe(true)
  await model.until(() => false, 10)
  expect(model.recordings().map(({ path, state }) => [path, state])).toEqual([
    [`${FOLDER}/yard/take.bin`, 'processed'],
    [copy, 'gone'],
  ])
})

test('if a recording needs attention, its copy does too, and `--until-idle` does not wait for it', async () => {
  model = new ModelStation({ wrapClient: mismatching })
  model.drive.write(ORIGINAL, 'a night', SIZE)
  await model.until(() => model.recordingAt(ORIGINAL).problem !== null)
  await addReadyCopy()
  await model.round()
  expect(model.journal.work.countUnfinished()).toEqual({
    ready: 0,
    processing: 0,
    temporary: 0,
    attention: 2,
  })
  expect(model.recordingAt(COPY)).toMatchObject({
    sessionId: null,
    problem: { code: 'checksum-mismatch', endsBy: 'answer' },
  })
})

test('a copy of a waiting recording waits until that recording continues', async () => {
  await prepareWaitingCopy()
  await model.round()
  expect(model.journal.work.countUnfinished()).toEqual({
    ready: 0,
    processing: 0,
    temporary: 2,
    attention: 0,
  })
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordings().every(({ state }) => state === 'processed'))).toBe(true)
  expect(model.service.sessions.size).toBe(1)
  expect(model.recordingAt(COPY).problem).toBeNull()
})

test('a copy that vanishes after its content was processed is safe', async () => {
  model = new ModelStation()
  model.drive.write(ORIGINAL, 'a night', SIZE)
  expect(await model.until(() => model.recordingAt(ORIGINAL).state === 'processed')).toBe(true)
  model.journal.station.pause(null)
  await addReadyCopy()
  model.drive.remove(COPY)
  model.hint()
  await model.until(() => model.recordingAt(COPY).state !== 'ready', 20)
  expect(model.recordingAt(COPY)).toMatchObject({
    state: 'processed',
    problem: null,
    duplicateOf: model.recordingAt(ORIGINAL).id,
  })
  expect(standingAt(COPY)).toBe('safe')
})

test('a copy that vanishes before its content is processed becomes safe when the content is processed', async () => {
  await prepareWaitingCopy()
  model.drive.remove(COPY)
  model.hint()
  expect(await model.until(() => model.recordingAt(COPY).state === 'gone', 20)).toBe(true)
  expect(standingAt(COPY)).toBe('needs-attention')
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordingAt(ORIGINAL).state === 'processed')).toBe(true)
  expect(model.recordingAt(COPY)).toMatchObject({
    state: 'processed',
    problem: null,
    duplicateOf: model.recordingAt(ORIGINAL).id,
  })
  expect(standingAt(COPY)).toBe('safe')
})

test('a copy that was overwritten before it vanished is not safe, because its last content was never hashed', async () => {
  await prepareWaitingCopy()
  model.drive.fate = (call) => (call === 'hash' ? { kind: 'file-busy', detail: 'held' } : null)
  model.drive.write(COPY, 'another night', SIZE)
  model.hint()
  expect(await model.until(() => model.recordingAt(COPY).state === 'queued', 20)).toBe(true)
  model.drive.remove(COPY)
  model.hint()
  expect(await model.until(() => model.recordingAt(COPY).state === 'gone', 20)).toBe(true)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordingAt(ORIGINAL).state === 'processed')).toBe(true)
  expect(model.recordingAt(COPY).state).toBe('gone')
  expect(standingAt(COPY)).toBe('needs-attention')
})

/** Writes the original and waits until it is processed. The tests then copy the file in again. */
const processOriginal = async () => {
  model = new ModelStation()
  model.drive.write(ORIGINAL, 'a night', SIZE)
  expect(await model.until(() => model.recordingAt(ORIGINAL).state === 'processed')).toBe(true)
}

const copyAgain = () => {
  model.drive.write(COPY, 'a night', SIZE)
  model.hint()
}

test('a file copied in again reuses the earlier session only after the service confirms it', async () => {
  await processOriginal()
  let isServiceDown = true
  model.service.fate = (call) =>
    call === 'retrieve' && isServiceDown ? { kind: 'refused', failure: outage } : { kind: 'answered' }
  copyAgain()
  await model.until(() => false, 20)
  expect(model.recordingAt(COPY).state).toBe('ready')
  isServiceDown = false
  expect(await model.until(() => model.recordingAt(COPY).state === 'processed')).toBe(true)
  expect(model.recordingAt(COPY)).toMatchObject({
    sessionId: model.recordingAt(ORIGINAL).sessionId,
    duplicateOf: model.recordingAt(ORIGINAL).id,
  })
  expect(model.service.sessions.size).toBe(1)
})

test('a file copied in again is uploaded if the earlier session was deleted at the service', async () => {
  await processOriginal()
  model.service.sessions.clear()
  copyAgain()
  expect(await model.until(() => model.recordingAt(COPY).state === 'processed')).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual([model.recordingAt(COPY).sessionId])
  // The original used the deleted session, so it is no longer safe, and shows this problem.
  expect(model.recordingAt(ORIGINAL)).toMatchObject({ state: 'failed', problem: { code: 'session-deleted' } })
})

test.each([
  ['failed meanwhile', (session: RemoteSession) => ({ ...session, status: 'failed' })],
  ['was reopened and stays open', (session: RemoteSession) => ({ ...session, status: 'uploading' })],
  ['shows a different SHA-256', (session: RemoteSession) => ({ ...session, sha256: 'f'.repeat(64) })],
  ['shows a different size', (session: RemoteSession) => ({ ...session, bytes: SIZE + 1 })],
])('a file copied in again is uploaded if the earlier session %s', async (_, change) => {
  let firstSessionId: string | null = null
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: async (id, signal) => {
        const answer = await client.retrieveSession(id, signal)
        if (!answer.ok || id !== firstSessionId) return answer
        return { ok: true, value: { ...answer.value, value: change(answer.value.value) } }
      },
    }),
  })
  model.drive.write(ORIGINAL, 'a night', SIZE)
  expect(await model.until(() => model.recordingAt(ORIGINAL).state === 'processed')).toBe(true)
  firstSessionId = model.recordingAt(ORIGINAL).sessionId
  copyAgain()
  expect(await model.until(() => model.recordingAt(COPY).state === 'processed')).toBe(true)
  expect(model.recordingAt(COPY).sessionId).not.toBe(firstSessionId)
  expect(model.service.completeSessions()).toHaveLength(2)
})

test('a file that changes while the service confirms the earlier session does not reuse that session', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isConfirming = false
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: async (...args) => {
        const answer = await client.retrieveSession(...args)
        if (model.recordings().length === 2) {
          isConfirming = true
          await promise
        }
        return answer
      },
    }),
  })
  model.drive.write(ORIGINAL, 'a night', SIZE)
  expect(await model.until(() => model.recordingAt(ORIGINAL).state === 'processed')).toBe(true)
  copyAgain()
  expect(await model.until(() => isConfirming)).toBe(true)
  model.drive.write(COPY, 'a different night', SIZE)
  model.hint()
  await model.until(() => model.recordingAt(COPY).state !== 'ready', 20)
  resolve()
  expect(await model.until(() => model.recordingAt(COPY).state === 'processed')).toBe(true)
  expect(model.recordingAt(COPY).sessionId).not.toBe(model.recordingAt(ORIGINAL).sessionId)
})

test('two copies of a recording whose session was lost are uploaded once', async () => {
  await processOriginal()
  model.service.sessions.clear()
  copyAgain()
  model.drive.write(`${FOLDER}/take (copy 2).bin`, 'a night', SIZE)
  const copies = () => model.recordings().filter(({ path }) => path !== ORIGINAL)
  const areProcessed = () => copies().length === 2 && copies().every(({ state }) => state === 'processed')
  expect(await model.until(areProcessed)).toBe(true)
  expect(model.service.sessions.size).toBe(1)
})

test('a file that is copied in while a user deletes the earlier session is uploaded', async () => {
  await processOriginal()
  const sessionId = model.recordingAt(ORIGINAL).sessionId ?? ''
  intendDeletion(model.journal, sessionId)
  // The delete request has not yet reached the service, so the service still shows the session.
  copyAgain()
  await model.until(() => model.recordings().length === 2 && model.recordingAt(COPY).state === 'ready')
  await model.round()
  expect(model.recordingAt(COPY).state).toBe('ready')
  model.service.sessions.delete(sessionId)
  expect(await model.until(() => model.recordingAt(COPY).state === 'processed')).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual([model.recordingAt(COPY).sessionId])
})
