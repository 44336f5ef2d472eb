import { afterEach, expect, test } from 'vitest'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { wholeDigest } from '../../support/model/content.ts'
import { outage } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const unreadableAnswer: Failure = {
  kind: 'unreadable-answer',
  detail: 'upload: expected object',
  requestId: 'req_1',
}

/** Every answer to a creation with the first key is unreadable (§8). */
const unreadableFirstKey =
  ({ createsSession, lists }: { readonly createsSession: boolean; readonly lists: 'all' | 'unreadable' }) =>
  (client: ServiceClient): ServiceClient => {
    let firstKey: string | null = null
    return {
      ...client,
      createSession: async (request, key, signal) => {
        firstKey ??= key
        if (key !== firstKey) return client.createSession(request, key, signal)
        if (createsSession) await client.createSession(request, key, signal)
        return failed(unreadableAnswer)
      },
      listSessions: async (...args) => {
        const answer = await client.listSessions(...args)
        if (!answer.ok || lists === 'all') return answer
        const unreadableSha256 = answer.value.value.sessions.flatMap(({ sha256 }) => sha256 ?? [])
        return {
          ok: true,
          value: { ...answer.value, value: { ...answer.value.value, sessions: [], unreadableSha256 } },
        }
      },
    }
  }

const waitUntilProcessed = (rounds: number) =>
  model.until(() => model.recordings()[0]?.state === 'processed', rounds)

test('finds and uses a session whose creation had an unreadable answer', async () => {
  model = new ModelStation({ wrapClient: unreadableFirstKey({ createsSession: true, lists: 'all' }) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  const startedAtMs = model.nowMs
  expect(await waitUntilProcessed(100)).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
  expect(model.nowMs - startedAtMs).toBeLessThan(600_000)
})

test('creates a session with a new key if the first request created none', async () => {
  model = new ModelStation({ wrapClient: unreadableFirstKey({ createsSession: false, lists: 'all' }) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  const startedAtMs = model.nowMs
  expect(await waitUntilProcessed(100)).toBe(true)
  expect(model.service.sessions.size).toBe(1)
  expect(model.nowMs - startedAtMs).toBeLessThan(600_000)
})

test('creates no second session while an unreadable list entry may be the first session', async () => {
  model = new ModelStation({ wrapClient: unreadableFirstKey({ createsSession: true, lists: 'unreadable' }) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await waitUntilProcessed(60)).toBe(false)
  expect(model.service.sessions.size).toBe(1)
  expect(model.recordings()[0]).toMatchObject({
    state: 'ready',
    problem: { code: 'service-answer-unreadable' },
  })
})

test('a file overwritten during the search gets a session for its new content', async () => {
  const listGate = Promise.withResolvers<void>()
  let isSearching = false
  let isCreationFailing = false
  model = new ModelStation({
    wrapClient: (client) => {
      const unreadableClient = unreadableFirstKey({ createsSession: false, lists: 'all' })(client)
      return {
        ...unreadableClient,
        listSessions: async (...args) => {
          isSearching = true
          await listGate.promise
          return unreadableClient.listSessions(...args)
        },
        createSession: async (...args) => {
          if (!isCreationFailing) return unreadableClient.createSession(...args)
          isCreationFailing = false
          return failed(outage)
        },
      }
    },
  })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await model.until(() => isSearching, 100)).toBe(true)
  model.drive.write(`${FOLDER}/take.bin`, 'another night', 30_000_000)
  model.hint()
  const isHashedAgain = () =>
    model
      .recordings()
      .some(({ state, sha256 }) => state === 'ready' && sha256 === wholeDigest('another night'))
  expect(await model.until(isHashedAgain, 20)).toBe(true)
  isCreationFailing = true
  listGate.resolve()
  expect(await waitUntilProcessed(60)).toBe(true)
  expect(model.service.completeSessions().map(({ request }) => request.sha256)).toEqual([
    wholeDigest('another night'),
  ])
})

test('if a file is overwritten during the search, Sluice does not give up a request that it never sent', async () => {
  const listGate = Promise.withResolvers<void>()
  let isSearching = false
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: async (...args) => {
        isSearching = true
        await listGate.promise
        return client.listSessions(...args)
      },
    }),
  })
  await model.round()
  model.service.fate = (call) => (call === 'part' ? { kind: 'never' } : { kind: 'answered' })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  model.hint()
  await model.until(() => model.recordings()[0]?.state === 'uploading', 20)
  // A user deletes the session at the service.
  model.service.sessions.clear()
  model.restart()
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => isSearching, 100)).toBe(true)
  model.drive.write(`${FOLDER}/take.bin`, 'another night', 30_000_000)
  model.hint()
  const isHashedAgain = () => model.recordings().some(({ sha256 }) => sha256 === wholeDigest('another night'))
  expect(await model.until(isHashedAgain, 20)).toBe(true)
  listGate.resolve()
  expect(await waitUntilProcessed(60)).toBe(true)
  expect(await model.until(() => model.journal.givenUp.count().all === 0, 20)).toBe(true)
  expect(model.service.countCalls('create')).toBe(2)
  expect(model.service.deletions).toEqual([])
})
