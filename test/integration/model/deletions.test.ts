import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { retry } from '../../../main/agent/calls/commands.ts'
import { done, failed } from '../../../main/agent/domain/failure.ts'
import { intendDeletion, noteDeletion } from '../../../main/agent/sessions/session-deletion.ts'
import { mapListedSessions } from '../../support/model/map-listed-sessions.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.bin`
const SIZE = 30_000_000

let model: ModelStation
afterEach(() => model.close())

test('a late delete request does not remove a session that a recording uses again', async () => {
  const creationGate = Promise.withResolvers<void>()
  const deletionGate = Promise.withResolvers<void>()
  let isFirst = true
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: async (...args) => {
        const answer = await client.createSession(...args)
        if (isFirst) {
          isFirst = false
          await creationGate.promise
        }
        return answer
      },
      deleteSession: async (...args) => {
        await deletionGate.promise
        return client.deleteSession(...args)
      },
    }),
  })
  model.drive.write(FILE, 'a night', SIZE)
  const { hash } = model.drive.hashing
  let hashes = 0
  Object.assign(model.drive.hashing, {
    hash: async (job: Parameters<typeof hash>[0]) => {
      hashes += 1
      // The service answers the creation while the hasher reads the file again.
      if (hashes === 2) {
        creationGate.resolve()
        for (let turn = 0; turn < 8; turn += 1) await setImmediate()
      }
      return hash(job)
    },
  })
  for (let n = 0; n < 6 && model.service.sessions.size === 0; n += 1) {
    await model.round()
    await model.pass(1_000)
  }
  // The same bytes with a new modification time.
  model.drive.write(FILE, 'a night', SIZE)
  await model.until(() => model.recordingAt(FILE).state === 'processed', 100)
  expect(model.recordingAt(FILE).state).toBe('processed')
  deletionGate.resolve()
  await setImmediate()
  await model.round()
  expect(model.service.deletions.filter(({ wasComplete }) => wasComplete)).toEqual([])
  expect(model.service.completeSessions()).toHaveLength(1)
})

test('an outdated session list does not hide that a user deleted the session', async () => {
  const listGate = Promise.withResolvers<void>()
  let isListSlow = false
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: async (...args) => {
        const list = mapListedSessions(client, (session) => ({ ...session, status: 'processing' }))
        const answer = await list(...args)
        if (isListSlow) await listGate.promise
        return answer
      },
    }),
  })
  const paths = [1, 2, 3, 4].map((n) => `${FOLDER}/take-${n}.bin`)
  for (const path of paths) model.drive.write(path, path, SIZE)
  // The service never finishes processing these sessions.
  await model.until(() => {
    for (const session of model.service.sessions.values()) session.completedAtMs = Number.POSITIVE_INFINITY
    return model.recordings().length === 4 && model.recordings().every(({ state }) => state === 'processing')
  }, 60)
  isListSlow = true
  await model.pass(600_000)
  await model.round()
  const [path] = paths
  const { sessionId } = model.recordingAt(path!)
  noteDeletion(model.journal, sessionId!, null)
  expect(model.recordingAt(path!)).toMatchObject({ state: 'failed', problem: null })
  listGate.resolve()
  await setImmediate()
  await model.round()
  expect(model.recordingAt(path!)).toMatchObject({ state: 'failed', problem: null })
})

const denial = () => failed({ kind: 'not-found', message: 'not yet', requestId: 'req_1' })

/**
 * While `lag.on` is set, the service answers that no session exists. With `atCompletion`, the answer to one completion
 * is lost, and `lag.on` is set afterwards.
 */
const openStationWithLag = (lag: { on: boolean; atCompletion?: boolean }) =>
  new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: async (...args) => (lag.on ? denial() : client.retrieveSession(...args)),
      listSessions: async (...args) =>
        lag.on
          ? done({ value: { sessions: [], unreadable: 0, nextCursor: null }, requestId: null })
          : client.listSessions(...args),
      completeSession: async (...args) => {
        if (lag.on) return denial()
        const answer = await client.completeSession(...args)
        if (lag.atCompletion !== true) return answer
        Object.assign(lag, { on: true, atCompletion: false })
        return failed({
          kind: 'service',
          origin: 'control',
          status: 504,
          retryAfterMs: null,
          message: '',
          requestId: 'req_1',
        })
      },
    }),
  })

const runRounds = async (rounds: number, ms: number): Promise<void> => {
  for (let n = 0; n < rounds; n += 1) {
    await model.round()
    await model.pass(ms)
  }
}

test('keeps polling a completed session although the service denies for two minutes that it exists', async () => {
  const lag = { on: false }
  model = openStationWithLag(lag)
  model.drive.write(FILE, 'a night', SIZE)
  await model.until(() => model.recordings()[0]?.state === 'processing', 60)
  lag.on = true
  await runRounds(40, 3_000)
  // The recording shows the problem, but Sluice does not give up the session.
  expect(model.recordingAt(FILE)).toMatchObject({ state: 'processing', problem: { code: 'session-deleted' } })
  lag.on = false
  await model.until(() => model.recordingAt(FILE).state === 'processed', 40)
  expect(model.recordingAt(FILE)).toMatchObject({ state: 'processed', problem: null })
})

test('a recording needs attention if its completed session is missing for five minutes, and a retry uploads it again', async () => {
  const lag = { on: false }
  model = openStationWithLag(lag)
  model.drive.write(FILE, 'a night', SIZE)
  await model.until(() => model.recordings()[0]?.state === 'processing', 60)
  model.service.sessions.clear()
  lag.on = true
  await runRounds(120, 10_000)
  expect(model.recordingAt(FILE)).toMatchObject({
    state: 'failed',
    problem: { code: 'session-deleted', endsBy: 'person' },
  })
  lag.on = false
  await runRounds(20, 600_000)
  expect(model.service.countCalls('create')).toBe(1)
  retry(model.journal, model.recordingAt(FILE))
  expect(await model.until(() => model.recordingAt(FILE).state === 'processed', 60)).toBe(true)
  expect(model.service.sessions.size).toBe(1)
})

test('docs/failures.md states what the agent does if the service denies that a complete session exists', () => {
  const page = readFileSync(new URL('../../../docs/failures.md', import.meta.url), 'utf8')
  const [row] = page.split('\n').filter((line) => line.startsWith('| the session does not exist (404)'))
  expect(row).toContain(
    'If a complete session gets such answers for 5 min, the recording becomes `failed`, and the user decides',
  )
})

test('after a lost completion answer, Sluice creates no second session while a stale replica hides the first', async () => {
  const lag = { on: false, atCompletion: true }
  model = openStationWithLag(lag)
  model.drive.write(FILE, 'a night', SIZE)
  await model.until(() => lag.on, 60)
  await runRounds(15, 1_000)
  lag.on = false
  await model.until(() => model.recordingAt(FILE).state === 'processed', 60)
  expect(model.recordingAt(FILE).state).toBe('processed')
  expect(model.service.completeSessions()).toHaveLength(1)
})

test('Sluice continues a session that reappears after Sluice gave it up, and creates no second one', async () => {
  const lag = { on: false, atCompletion: true }
  model = openStationWithLag(lag)
  model.drive.write(FILE, 'a night', SIZE)
  await model.until(() => lag.on, 60)
  await model.until(() => model.recordingAt(FILE).sessionId === null, 60)
  expect(model.recordingAt(FILE).sessionId).toBeNull()
  lag.on = false
  await model.until(() => model.recordingAt(FILE).state === 'processed', 60)
  expect(model.recordingAt(FILE).state).toBe('processed')
  expect(model.service.completeSessions()).toHaveLength(1)
})

test('Sluice deletes a given-up session although a stale replica hides it once', async () => {
  let denials = 1
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: async (id, signal) =>
        id === 'ses_1' && denials-- > 0
          ? failed({ kind: 'not-found', message: 'not yet', requestId: 'req_1' })
          : client.retrieveSession(id, signal),
    }),
  })
  const request = { site: 'lab', filename: 'take.bin', bytes: SIZE, sha256: '00', part_size: SIZE }
  await model.service.client().createSession(request, 'key-x', AbortSignal.timeout(1_000))
  model.journal.givenUp.addSession('ses_1', 'the recording changed while its session was created', request)
  await model.until(() => model.service.sessions.size === 0, 40)
  expect([...model.service.sessions.keys()]).toEqual([])
})

test('a part waits for its Retry-After even if a different part arrives meanwhile', async () => {
  const partGate = Promise.withResolvers<void>()
  const sentUrls: string[] = []
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      sendPart: async (part) => {
        sentUrls.push(part.url)
        if (part.url.endsWith('/1'))
          return failed({
            kind: 'rate-limited',
            origin: 'storage',
            retryAfterMs: 3_600_000,
            message: 'slow down',
            requestId: null,
          })
        await partGate.promise
        return client.sendPart(part)
      },
    }),
  })
  model.drive.write(FILE, 'a night', 90_000_000)
  for (let n = 0; n < 10 && sentUrls.length < 2; n += 1) {
    await model.round()
    await model.pass(1_000)
  }
  partGate.resolve()
  for (let n = 0; n < 60; n += 1) {
    await model.round()
    await model.pass(1_000)
  }
  expect(sentUrls.filter((url) => url.endsWith('/1'))).toHaveLength(1)
})

test('after a crash during a deletion, reads the session to learn whether it was deleted', async () => {
  model = new ModelStation()
  const [deletedPath, keptPath] = [FILE, `${FOLDER}/kept.bin`]
  for (const path of [deletedPath, keptPath]) model.drive.write(path, path, SIZE)
  const isProcessed = () => model.recordings().filter(({ state }) => state === 'processed').length === 2
  expect(await model.until(isProcessed)).toBe(true)
  for (const path of [deletedPath, keptPath])
    intendDeletion(model.journal, model.recordingAt(path).sessionId ?? '')
  intendDeletion(model.journal, 'ses_of_another_station')
  model.service.sessions.delete(model.recordingAt(deletedPath).sessionId ?? '')
  model.restart()
  await model.round()
  expect(model.recordingAt(deletedPath)).toMatchObject({ state: 'failed', problem: null })
  expect(model.recordingAt(keptPath)).toMatchObject({ state: 'processed', problem: null })
  // The delete request may still be in flight, so Sluice reads the session again.
  model.service.sessions.delete(model.recordingAt(keptPath).sessionId ?? '')
  await model.pass(60_000)
  await model.round()
  expect(model.recordingAt(keptPath).state).toBe('failed')
})

test('a session that still exists long after the delete request counts as not deleted', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'a night', SIZE)
  expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
  intendDeletion(model.journal, model.recordingAt(FILE).sessionId ?? '')
  await model.round()
  await model.pass(3_600_000)
  await model.round()
  expect(model.recordingAt(FILE)).toMatchObject({ state: 'processed', problem: null })
  const callCount = model.service.calls.length
  await model.pass(60_000)
  await model.round()
  expect(model.service.calls.slice(callCount)).not.toContain('retrieve')
})

test('Sluice does not send a recording again if the user deletes its session while the file is hashed again', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'a night', SIZE)
  expect(await model.until(() => model.recordings()[0]?.state === 'uploading')).toBe(true)
  const { hash } = model.drive.hashing
  Object.assign(model.drive.hashing, {
    hash: async (job: Parameters<typeof hash>[0]) => {
      const id = model.recordingAt(FILE).sessionId
      if (id !== null) {
        model.service.sessions.delete(id)
        noteDeletion(model.journal, id, null)
      }
      return hash(job)
    },
  })
  model.drive.write(FILE, 'a night', SIZE)
  model.hint()
  for (let n = 0; n < 60; n += 1) {
    await model.round()
    await model.pass(1_000)
  }
  expect(model.recordingAt(FILE)).toMatchObject({ paused: true })
  expect(model.service.sessions.size).toBe(0)
})
