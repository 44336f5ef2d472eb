import { afterEach, beforeEach, expect, test } from 'vitest'
import { done, type Failure, failed } from '../../../main/agent/domain/failure.ts'
import type { RemoteSession, ServiceClient, SessionPage } from '../../../main/agent/ports/service.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'
import { commitsIn } from '../../support/wal-commits.ts'

const MANY = 40
const SIZE = 2_000

const UNAVAILABLE: Failure = {
  kind: 'service',
  origin: 'control',
  status: 503,
  retryAfterMs: null,
  message: 'try again',
  requestId: null,
}

let model: ModelStation
const write = () => {
  for (let n = 0; n < MANY; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `take ${n}`, SIZE)
}

beforeEach(() => {
  model = new ModelStation()
  write()
})
afterEach(() => {
  expect(model.bugs).toEqual([])
  model.close()
})

const inState = (state: string) => model.recordings().filter((recording) => recording.state === state).length
const times = (what: string) => model.service.calls.filter((call) => call === what).length

/** A list (§4.5) that differs from the real sessions. */
const listing =
  (client: ServiceClient, shown: (page: SessionPage) => SessionPage): ServiceClient['listSessions'] =>
  async (...args) => {
    const answer = await client.listSessions(...args)
    return answer.ok ? done({ ...answer.value, value: shown(answer.value.value) }) : answer
  }

/** A service that processes each session for a while, so an early poll is wasted. */
const working = (client: ServiceClient): ServiceClient => {
  const completedAtMs = new Map<string, number>()
  const now = (session: RemoteSession): RemoteSession => {
    const isAtWork = model.nowMs - (completedAtMs.get(session.id) ?? 0) < 1_500
    return session.status === 'processed' && isAtWork ? { ...session, status: 'processing' } : session
  }
  return {
    ...client,
    completeSession: async (id, ...args) => {
      completedAtMs.set(id, model.nowMs)
      return client.completeSession(id, ...args)
    },
    retrieveSession: async (...args) => {
      const answer = await client.retrieveSession(...args)
      return answer.ok ? done({ ...answer.value, value: now(answer.value.value) }) : answer
    },
    listSessions: listing(client, (page) => ({ ...page, sessions: page.sessions.map(now) })),
  }
}

test('each of many small recordings needs three requests, and one list page polls all of them', async () => {
  model.close()
  model = new ModelStation({ around: working })
  model.settings = settingsSchema.parse({ ...model.settings, follow: { poll_seconds: 15 } })
  write()
  expect(await model.until(() => inState('processed') === MANY)).toBe(true)
  expect(times('create')).toBe(MANY)
  expect(times('part')).toBe(MANY)
  expect(times('complete')).toBe(MANY)
  expect(model.service.calls.length / MANY).toBeLessThanOrEqual(3.5)
})

test('retries a list that fails sometimes, without polling single sessions', async () => {
  let lists = 0
  model.close()
  model = new ModelStation({
    around: (client) => {
      const atWork = working(client)
      return {
        ...atWork,
        listSessions: async (...args) => {
          lists += 1
          if (lists % 3 !== 0) return failed(UNAVAILABLE)
          return atWork.listSessions(...args)
        },
      }
    },
  })
  model.settings = settingsSchema.parse({ ...model.settings, follow: { poll_seconds: 15 } })
  write()
  expect(await model.until(() => inState('processed') === MANY)).toBe(true)
  expect(lists).toBeGreaterThan(2)
  expect(times('retrieve')).toBeLessThan(MANY / 10)
})

test('finishes all sessions although the list always fails, and backs off from the list', async () => {
  let lists = 0
  model.close()
  model = new ModelStation({
    around: (client) => ({
      ...client,
      listSessions: async () => {
        lists += 1
        return failed(UNAVAILABLE)
      },
    }),
  })
  await model.round()
  write()
  expect(await model.until(() => inState('processed') === MANY)).toBe(true)
  expect(lists).toBeLessThan(MANY)
})

test('polls sessions one by one if the list shows none of them', async () => {
  model.close()
  model = new ModelStation({
    around: (client) => ({
      ...client,
      listSessions: listing(client, () => ({ sessions: [], nextCursor: null })),
    }),
  })
  write()
  expect(await model.until(() => inState('processed') === MANY)).toBe(true)
})

test('small recordings do not wait for large uploads, and their parts share the slots', async () => {
  let most = 0
  let running = 0
  model.close()
  model = new ModelStation({
    around: (client) => ({
      ...client,
      sendPart: async (part) => {
        if (part.sizeBytes > SIZE) return new Promise(() => {})
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return client.sendPart(part)
      },
    }),
  })
  // Three large recordings send one part each, so one of four slots is left.
  for (let n = 0; n < 3; n += 1) model.drive.write(`${FOLDER}/a-${n}.bin`, `long ${n}`, 30_000_000)
  write()
  expect(await model.until(() => inState('processed') === MANY)).toBe(true)
  expect(inState('uploading')).toBe(3)
  expect(most).toBe(1)
})

test('a crash at any moment keeps all writes of a shared commit or none', async () => {
  for (let kills = 0; kills < 25; kills += 1) {
    // Pending writes are lost with the process.
    await Promise.race([model.round(), new Promise((resolve) => setImmediate(resolve))])
    model.restart()
    await model.pass(300)
    if (kills % 3 === 0) await model.round()
  }
  expect(await model.until(() => inState('processed') === MANY)).toBe(true)
  const sessions = [...model.service.sessions.values()]
  expect(sessions).toHaveLength(MANY)
})

test('records files that vanish together in one commit', async () => {
  await model.watcher.step(new AbortController().signal)
  expect(inState('growing')).toBe(MANY)
  const before = commitsIn(model.walFile)
  for (const path of model.drive.paths()) model.drive.remove(path)
  model.hint()
  await model.pass(600_000)
  await model.watcher.step(new AbortController().signal)
  expect(inState('gone')).toBe(MANY)
  expect(commitsIn(model.walFile) - before).toBe(1)
})

test('a failing storage gets at most 20 parts in 40 s, and no extra sessions are opened', async () => {
  const failure: Failure = {
    kind: 'rate-limited',
    origin: 'storage',
    retryAfterMs: null,
    message: '',
    requestId: null,
  }
  model.service.fate = (call) => (call === 'part' ? { kind: 'refused', failure } : { kind: 'answered' })
  for (let n = 0; n < 42 * 4; n += 1) {
    await model.round()
    await model.pass(250)
  }
  expect(times('part')).toBeGreaterThan(0)
  expect(times('part')).toBeLessThanOrEqual(20)
  expect(times('create')).toBeLessThanOrEqual(32)
})

test('detects a stale list by polling one of its sessions', async () => {
  model.close()
  model = new ModelStation({
    around: (client) => ({
      ...client,
      listSessions: listing(client, (page) => ({
        ...page,
        sessions: page.sessions.map((session) => ({ ...session, status: 'processing' })),
      })),
    }),
  })
  write()
  expect(await model.until(() => inState('processed') === MANY)).toBe(true)
})
