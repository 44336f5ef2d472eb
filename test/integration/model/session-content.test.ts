import { afterEach, describe, expect, test } from 'vitest'
import { retry } from '../../../main/agent/calls/commands.ts'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import type { RemoteSession, ServiceClient } from '../../../main/agent/ports/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const SIZE = 30_000_000
const OTHER_SHA256 = 'f'.repeat(64)

let model: ModelStation
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const named = (name: string) => model.recordings().find((recording) => recording.name === name)

describe('when the service answers a creation with the session of a different recording', () => {
  /** While `wrong` is true, the service answers every creation after the first with the first session. */
  const answersWithFirst =
    (service: { wrong: boolean }) =>
    (client: ServiceClient): ServiceClient => {
      let first: Awaited<ReturnType<ServiceClient['createSession']>> | null = null
      return {
        ...client,
        createSession: async (...args) => {
          if (first !== null && service.wrong) return first
          const answer = await client.createSession(...args)
          first ??= answer
          return answer
        },
      }
    }

  test('Sluice shows a problem and does not make the recording safe; the recording gets its own session once the service is fixed', async () => {
    const service = { wrong: true }
    model = new ModelStation({ wrapClient: answersWithFirst(service) })
    model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
    expect(await model.until(() => named('one.bin')?.state === 'processed', 60)).toBe(true)
    model.drive.write(`${FOLDER}/two.bin`, 'another night', SIZE)
    model.hint()
    await model.until(() => named('two.bin')?.problem?.endsBy === 'answer', 60)
    expect(named('two.bin')).toMatchObject({
      state: 'ready',
      sessionId: null,
      problem: { code: 'session-mismatch', owner: 'service' },
    })
    expect(model.service.deletions).toEqual([])
    service.wrong = false
    expect(await model.until(() => named('two.bin')?.state === 'processed', 60)).toBe(true)
    expect(named('two.bin')?.sessionId).not.toBe(named('one.bin')?.sessionId)
    expect(model.service.completeSessions()).toHaveLength(2)
  })

  test('only one of two recordings gets the session, even if Sluice creates both at the same time', async () => {
    model = new ModelStation({ wrapClient: answersWithFirst({ wrong: true }) })
    model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
    model.drive.write(`${FOLDER}/two.bin`, 'another night', SIZE)
    await model.until(() => model.recordings().some(({ state }) => state === 'processed'), 60)
    expect(model.recordings().filter(({ sessionId }) => sessionId !== null)).toHaveLength(1)
  })
})

test('Sluice does not adopt a new session whose size differs', async () => {
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
  let stranger: string | null = null
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: async (request, key, signal) => {
        const answer = await client.createSession(request, key, signal)
        if (!answer.ok || stranger === null || key !== 'lost') return answer
        return { ok: true, value: { ...answer.value, value: { ...answer.value.value, id: stranger } } }
      },
    }),
  })
  const body = { site: 'lab', filename: 'night.bin', bytes: SIZE, sha256: 'a'.repeat(64) }
  const made = await model.service
    .client()
    .createSession(body, 'of-another-station', new AbortController().signal)
  if (!made.ok) throw new Error('the model refused a session')
  stranger = made.value.value.id
  model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
  await model.until(() => model.recordings().some(({ sha256 }) => sha256 !== null), 60)
  const { givenUp } = model.journal
  const lost = {
    sessionId: null,
    createKey: 'lost',
    createKeyAtMs: model.firstRecording().foundAtMs,
    createBody: JSON.stringify({ ...body, sha256: OTHER_SHA256 }),
  }
  givenUp.ofRecording({ ...model.firstRecording(), ...lost }, 'the file changed')
  expect(await model.until(() => givenUp.count().all === 0, 60)).toBe(true)
  expect(model.service.deletions).toEqual([])
})

type Shown = { change: (session: RemoteSession) => RemoteSession }
const showing =
  (shown: Shown) =>
  (client: ServiceClient): ServiceClient => ({
    ...client,
    retrieveSession: async (...args) => {
      const answer = await client.retrieveSession(...args)
      return answer.ok
        ? { ok: true, value: { ...answer.value, value: shown.change(answer.value.value) } }
        : answer
    },
    completeSession: async (...args) => {
      const answer = await client.completeSession(...args)
      return answer.ok
        ? { ok: true, value: { ...answer.value, value: shown.change(answer.value.value) } }
        : answer
    },
    listSessions: async (...args) => {
      const answer = await client.listSessions(...args)
      if (!answer.ok) return answer
      const { sessions } = answer.value.value
      const value = { ...answer.value.value, sessions: sessions.map((one) => shown.change(one)) }
      return { ok: true, value: { ...answer.value, value } }
    },
  })

test('treats an upper-case SHA-256 as equal', async () => {
  const change = (session: RemoteSession) => ({
    ...session,
    sha256: session.sha256?.toUpperCase() ?? null,
  })
  model = new ModelStation({ wrapClient: showing({ change }) })
  model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
  expect(await model.until(() => model.firstRecording().state === 'processed', 60)).toBe(true)
})

describe('a session that shows different content', () => {
  const unchanged = (session: RemoteSession) => session
  const ofOtherContent = (session: RemoteSession) =>
    session.status === 'uploading' ? session : { ...session, sha256: OTHER_SHA256 }

  test.each<[string, Partial<RemoteSession>]>([
    ['SHA-256', { sha256: OTHER_SHA256 }],
    ['size', { bytes: SIZE - 1 }],
  ])(
    'with a different %s causes a problem; the recording becomes safe only once the session is correct',
    async (_, other) => {
      const shown: Shown = {
        change: (session) => (session.status === 'processed' ? { ...session, ...other } : session),
      }
      model = new ModelStation({ wrapClient: showing(shown) })
      model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
      await model.until(() => model.firstRecording().problem?.endsBy === 'answer', 60)
      expect(model.firstRecording()).toMatchObject({
        state: 'processing',
        problem: { code: 'session-mismatch', owner: 'service' },
      })
      shown.change = unchanged
      expect(await model.until(() => model.firstRecording().state === 'processed', 60)).toBe(true)
      expect(model.firstRecording().problem).toBeNull()
    },
  )

  test('makes no recording safe when the list shows it', async () => {
    const shown: Shown = {
      change: (session) => (session.status === 'processed' ? { ...session, sha256: OTHER_SHA256 } : session),
    }
    model = new ModelStation({ wrapClient: showing(shown) })
    for (let n = 1; n <= 6; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `night ${n}`, SIZE)
    await model.until(() => model.recordings().filter(({ problem }) => problem !== null).length === 6, 100)
    expect(model.service.calls).toContain('list')
    expect(new Set(model.recordings().map(({ state }) => state))).toEqual(new Set(['processing']))
  })

  test('is refused when Sluice reads it after a lost completion answer', async () => {
    model = new ModelStation({ wrapClient: showing({ change: ofOtherContent }) })
    const lost: Failure = { kind: 'network', origin: 'control', connected: true, detail: 'reset' }
    model.service.fate = (call) =>
      call === 'complete' ? { kind: 'lost', failure: lost } : { kind: 'answered' }
    model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
    await model.until(() => model.firstRecording().problem?.code === 'session-mismatch', 60)
    expect(model.firstRecording().state).toBe('completing')
  })

  test('can be replaced: the user uploads the recording in a new session, and Sluice does not delete the old one', async () => {
    const shown: Shown = { change: ofOtherContent }
    model = new ModelStation({ wrapClient: showing(shown) })
    model.drive.write(`${FOLDER}/one.bin`, 'a night', SIZE)
    await model.until(() => model.firstRecording().problem?.endsBy === 'answer', 60)
    const { sessionId } = model.firstRecording()
    shown.change = (session) => (session.id === sessionId ? ofOtherContent(session) : session)
    retry(model.journal, model.firstRecording())
    expect(await model.until(() => model.firstRecording().state === 'processed', 60)).toBe(true)
    expect(model.firstRecording().sessionId).not.toBe(sessionId)
    expect(model.service.deletions).toEqual([])
  })
})
