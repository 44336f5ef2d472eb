import { afterEach, beforeEach, expect, test } from 'vitest'
import { done, type Failure, failed } from '../../../main/agent/domain/failure.ts'
import type { RemoteSession, ServiceClient } from '../../../main/agent/ports/service.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { mapListedPages, mapListedSessions } from '../../support/model/map-listed-sessions.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'
import { countCommits } from '../../support/wal-commits.ts'

const COUNT = 40
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
const writeAll = () => {
  for (let n = 0; n < COUNT; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `take ${n}`, SIZE)
}

beforeEach(() => {
  model = new ModelStation()
  writeAll()
})
afterEach(() => model.closeAndExpectNoBugs())

const countInState = (state: string) =>
  model.recordings().filter((recording) => recording.state === state).length
/** A service that processes each session for a while, so an early poll is wasted. */
const processSlowly = (client: ServiceClient): ServiceClient => {
  const completedAtMs = new Map<string, number>()
  const viewOf = (session: RemoteSession): RemoteSession => {
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
      return answer.ok ? done({ ...answer.value, value: viewOf(answer.value.value) }) : answer
    },
    listSessions: mapListedSessions(client, viewOf),
  }
}

test('each of many small recordings needs three requests, and Sluice polls all of them with a few list requests', async () => {
  model.close()
  model = new ModelStation({ wrapClient: processSlowly })
  model.settings = settingsSchema.parse({ ...model.settings, follow: { poll_seconds: 15 } })
  writeAll()
  expect(await model.until(() => countInState('processed') === COUNT)).toBe(true)
  expect(model.service.countCalls('create')).toBe(COUNT)
  expect(model.service.countCalls('part')).toBe(COUNT)
  expect(model.service.countCalls('complete')).toBe(COUNT)
  expect(model.service.calls.length / COUNT).toBeLessThanOrEqual(3.5)
})

test('if two of three list requests fail, Sluice retries them and polls almost no sessions one by one', async () => {
  let lists = 0
  model.close()
  model = new ModelStation({
    wrapClient: (client) => {
      const slowClient = processSlowly(client)
      return {
        ...slowClient,
        listSessions: async (...args) => {
          lists += 1
          if (lists % 3 !== 0) return failed(UNAVAILABLE)
          return slowClient.listSessions(...args)
        },
      }
    },
  })
  model.settings = settingsSchema.parse({ ...model.settings, follow: { poll_seconds: 15 } })
  writeAll()
  expect(await model.until(() => countInState('processed') === COUNT)).toBe(true)
  expect(lists).toBeGreaterThan(2)
  expect(model.service.countCalls('retrieve')).toBeLessThan(COUNT / 10)
})

test('if every list request fails, Sluice still follows all sessions, and retries the list with a backoff', async () => {
  let lists = 0
  model.close()
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: async () => {
        lists += 1
        return failed(UNAVAILABLE)
      },
    }),
  })
  await model.round()
  writeAll()
  expect(await model.until(() => countInState('processed') === COUNT)).toBe(true)
  expect(lists).toBeLessThan(COUNT)
})

test('Sluice polls sessions one by one if the list shows none of them', async () => {
  model.close()
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: mapListedPages(client, () => ({ sessions: [], nextCursor: null })),
    }),
  })
  writeAll()
  expect(await model.until(() => countInState('processed') === COUNT)).toBe(true)
})

test('small recordings do not wait for large uploads, and their parts use the slots that are left', async () => {
  let maxRunning = 0
  let running = 0
  model.close()
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      sendPart: async (part) => {
        if (part.sizeBytes > SIZE) return new Promise(() => {})
        running += 1
        maxRunning = Math.max(maxRunning, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return client.sendPart(part)
      },
    }),
  })
  // Three large recordings send one part each, so one of four slots is left.
  for (let n = 0; n < 3; n += 1) model.drive.write(`${FOLDER}/a-${n}.bin`, `long ${n}`, 30_000_000)
  writeAll()
  expect(await model.until(() => countInState('processed') === COUNT)).toBe(true)
  expect(countInState('uploading')).toBe(3)
  expect(maxRunning).toBe(1)
})

test('crashes at any moment of a shared commit lose no recording and create no second session', async () => {
  for (let kills = 0; kills < 25; kills += 1) {
    // Pending writes are lost with the process.
    await Promise.race([model.round(), new Promise((resolve) => setImmediate(resolve))])
    model.restart()
    await model.pass(300)
    if (kills % 3 === 0) await model.round()
  }
  expect(await model.until(() => countInState('processed') === COUNT)).toBe(true)
  const sessions = [...model.service.sessions.values()]
  expect(sessions).toHaveLength(COUNT)
})

test('Sluice uses one commit for all files that vanish together', async () => {
  await model.watcher.step(new AbortController().signal)
  expect(countInState('growing')).toBe(COUNT)
  const commitsBefore = countCommits(model.walFile)
  for (const path of model.drive.paths()) model.drive.remove(path)
  model.hint()
  await model.pass(600_000)
  await model.watcher.step(new AbortController().signal)
  expect(countInState('gone')).toBe(COUNT)
  expect(countCommits(model.walFile) - commitsBefore).toBe(1)
})

test('a storage that answers every part with “slow down” gets at most 20 parts in 42 s, and Sluice opens at most 32 sessions', async () => {
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
  expect(model.service.countCalls('part')).toBeGreaterThan(0)
  expect(model.service.countCalls('part')).toBeLessThanOrEqual(20)
  expect(model.service.countCalls('create')).toBeLessThanOrEqual(32)
})

test('Sluice notices that the list is stale, because it also polls some sessions one by one', async () => {
  model.close()
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: mapListedSessions(client, (session) => ({ ...session, status: 'processing' })),
    }),
  })
  writeAll()
  expect(await model.until(() => countInState('processed') === COUNT)).toBe(true)
})
