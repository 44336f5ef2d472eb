import { afterEach, describe, expect, test } from 'vitest'
import { retry } from '../../../main/agent/calls/commands.ts'
import type { RemoteSession, ServiceClient } from '../../../main/agent/ports/service.ts'
import { connectionReset } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const SIZE = 30_000_000
const OTHER_SHA256 = 'f'.repeat(64)

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const recordingNamed = (name: string) => model.recordings().find((recording) => recording.name === name)

describe('when the service answers a creation with the session of a different recording', () => {
  /** While `isWrong` is true, the service answers every creation after the first with the first session. */
  const answerWithFirst =
    (service: { isWrong: boolean }) =>
    (client: ServiceClient): ServiceClient => {
      let firstAnswer: Awaited<ReturnType<ServiceClient['createSession']>> | null = null
      return {
        ...client,
        createSession: async (...args) => {
          if (firstAnswer !== null && service.isWrong) return firstAnswer
          const answer = await client.createSession(...args)
          firstAnswer ??= answer
          return answer
        },
      }
    }

  test('Sluice shows a problem, and the recording gets its own session once the service is fixed', async () => {
    const service = { isWrong: true }
    model = new ModelStation({ wrapClient: answerWithFirst(service) })
    model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
    expect(await model.until(() => recordingNamed('one.bin')?.state === 'processed', 60)).toBe(true)
    model.drive.write(`${FOLDER}/two.bin`, 'another night', SIZE)
    model.hint()
    await model.until(() => recordingNamed('two.bin')?.problem?.endsBy === 'answer', 60)
    expect(recordingNamed('two.bin')).toMatchObject({
      state: 'ready',
      sessionId: null,
      problem: { code: 'session-mismatch', owner: 'service' },
    })
    expect(model.service.deletions).toEqual([])
    service.isWrong = false
    expect(await model.until(() => recordingNamed('two.bin')?.state === 'processed', 60)).toBe(true)
    expect(recordingNamed('two.bin')?.sessionId).not.toBe(recordingNamed('one.bin')?.sessionId)
    expect(model.service.completeSessions()).toHaveLength(2)
  })

  test('only one of two recordings gets the session, even if Sluice creates both sessions at the same time', async () => {
    model = new ModelStation({ wrapClient: answerWithFirst({ isWrong: true }) })
    model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
    model.drive.write(`${FOLDER}/two.bin`, 'another night', SIZE)
    await model.until(() => model.recordings().some(({ state }) => state === 'processed'), 60)
    expect(model.recordings().filter(({ sessionId }) => sessionId !== null)).toHaveLength(1)
  })
})

test('Sluice does not adopt a new session whose size differs from the file’s', async () => {
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: async (...args) => {
        const answer = await client.createSession(...args)
        if (!answer.ok) return answer
        return { ok: true, value: { ...answer.value, value: { ...answer.value.value, bytes: SIZE + 1 } } }
      },
    }),
  })
  model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
  await model.until(() => model.firstRecording().problem !== null, 60)
  expect(model.firstRecording()).toMatchObject({ state: 'ready', problem: { code: 'session-mismatch' } })
})

test('if a given-up creation returns a different recording’s session, Sluice does not delete that session', async () => {
  let strangerId: string | null = null
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: async (request, key, signal) => {
        const answer = await client.createSession(request, key, signal)
        if (!answer.ok || strangerId === null || key !== 'lost') return answer
        return { ok: true, value: { ...answer.value, value: { ...answer.value.value, id: strangerId } } }
      },
    }),
  })
  const body = { site: 'lab', filename: 'night.bin', bytes: SIZE, sha256: 'a'.repeat(64) }
  const created = await model.service
    .client()
    .createSession(body, 'of-another-station', new AbortController().signal)
  if (!created.ok) throw new Error('the model refused a session')
  strangerId = created.value.value.id
  model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
  await model.until(() => model.recordings().some(({ sha256 }) => sha256 !== null), 60)
  const { givenUp } = model.journal
  const lostCreation = {
    sessionId: null,
    createKey: 'lost',
    createKeyAtMs: model.firstRecording().foundAtMs,
    createBody: JSON.stringify({ ...body, sha256: OTHER_SHA256 }),
  }
  givenUp.addSessionOf({ ...model.firstRecording(), ...lostCreation }, 'the file changed')
  expect(await model.until(() => givenUp.count().all === 0, 60)).toBe(true)
  expect(model.service.deletions).toEqual([])
})

type SessionChange = { change: (session: RemoteSession) => RemoteSession }
const changeSessions =
  (sessionChange: SessionChange) =>
  (client: ServiceClient): ServiceClient => ({
    ...client,
    retrieveSession: async (...args) => {
      const answer = await client.retrieveSession(...args)
      return answer.ok
        ? { ok: true, value: { ...answer.value, value: sessionChange.change(answer.value.value) } }
        : answer
    },
    completeSession: async (...args) => {
      const answer = await client.completeSession(...args)
      return answer.ok
        ? { ok: true, value: { ...answer.value, value: sessionChange.change(answer.value.value) } }
        : answer
    },
    listSessions: async (...args) => {
      const answer = await client.listSessions(...args)
      if (!answer.ok) return answer
      const { sessions } = answer.value.value
      const value = {
        ...answer.value.value,
        sessions: sessions.map((session) => sessionChange.change(session)),
      }
      return { ok: true, value: { ...answer.value, value } }
    },
  })

test('treats an upper-case SHA-256 as equal', async () => {
  const change = (session: RemoteSession) => ({
    ...session,
    sha256: session.sha256?.toUpperCase() ?? null,
  })
  model = new ModelStation({ wrapClient: changeSessions({ change }) })
  model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
  expect(await model.until(() => model.firstRecording().state === 'processed', 60)).toBe(true)
})

describe('a session that shows different content', () => {
  const unchanged = (session: RemoteSession) => session
  const withOtherContent = (session: RemoteSession) =>
    session.status === 'uploading' ? session : { ...session, sha256: OTHER_SHA256 }

  test.each<[string, Partial<RemoteSession>]>([
    ['SHA-256', { sha256: OTHER_SHA256 }],
    ['size', { bytes: SIZE - 1 }],
  ])(
    'causes a problem if its %s differs; the recording becomes safe only once the session is correct',
    async (_, difference) => {
      const sessionChange: SessionChange = {
        change: (session) => (session.status === 'processed' ? { ...session, ...difference } : session),
      }
      model = new ModelStation({ wrapClient: changeSessions(sessionChange) })
      model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
      await model.until(() => model.firstRecording().problem?.endsBy === 'answer', 60)
      expect(model.firstRecording()).toMatchObject({
        state: 'processing',
        problem: { code: 'session-mismatch', owner: 'service' },
      })
      sessionChange.change = unchanged
      expect(await model.until(() => model.firstRecording().state === 'processed', 60)).toBe(true)
      expect(model.firstRecording().problem).toBeNull()
    },
  )

  test('makes no recording safe, even if Sluice reads the session in the list', async () => {
    const sessionChange: SessionChange = {
      change: (session) => (session.status === 'processed' ? { ...session, sha256: OTHER_SHA256 } : session),
    }
    model = new ModelStation({ wrapClient: changeSessions(sessionChange) })
    for (let n = 1; n <= 6; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `night ${n}`, SIZE)
    await model.until(() => model.recordings().filter(({ problem }) => problem !== null).length === 6, 100)
    expect(model.service.calls).toContain('list')
    expect(new Set(model.recordings().map(({ state }) => state))).toEqual(new Set(['processing']))
  })

  test('is refused when Sluice reads it after a lost completion answer', async () => {
    model = new ModelStation({ wrapClient: changeSessions({ change: withOtherContent }) })
    model.service.fate = (call) =>
      call === 'complete' ? { kind: 'lost', failure: connectionReset } : { kind: 'answered' }
    model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
    await model.until(() => model.firstRecording().problem?.code === 'session-mismatch', 60)
    expect(model.firstRecording().state).toBe('completing')
  })

  test('stays at the service when the user uploads the recording in a new session', async () => {
    const sessionChange: SessionChange = { change: withOtherContent }
    model = new ModelStation({ wrapClient: changeSessions(sessionChange) })
    model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
    await model.until(() => model.firstRecording().problem?.endsBy === 'answer', 60)
    const { sessionId } = model.firstRecording()
    sessionChange.change = (session) => (session.id === sessionId ? withOtherContent(session) : session)
    retry(model.journal, model.firstRecording())
    expect(await model.until(() => model.firstRecording().state === 'processed', 60)).toBe(true)
    expect(model.firstRecording().sessionId).not.toBe(sessionId)
    expect(model.service.deletions).toEqual([])
  })
})
