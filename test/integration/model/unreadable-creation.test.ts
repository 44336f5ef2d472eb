import { afterEach, expect, test } from 'vitest'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import type { ServiceClient } from '../../../main/agent/ports.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

let model: ModelStation
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const unreadable: Failure = {
  kind: 'unreadable-answer',
  detail: 'upload: expected object',
  requestId: 'req_1',
}

/** The first creation is answered in no readable shape, and so is each repetition with its key (§8). */
const spoilsFirstKey =
  ({ makesIt, lists }: { readonly makesIt: boolean; readonly lists: 'all' | 'unreadable' }) =>
  (client: ServiceClient): ServiceClient => {
    let first: string | null = null
    return {
      ...client,
      createSession: async (request, key, signal) => {
        first ??= key
        if (key !== first) return client.createSession(request, key, signal)
        if (makesIt) await client.createSession(request, key, signal)
        return failed(unreadable)
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

const processed = (rounds: number) => model.until(() => model.recordings()[0]?.state === 'processed', rounds)

test('a session whose creation was answered in no readable shape is found by the list and used', async () => {
  model = new ModelStation({ around: spoilsFirstKey({ makesIt: true, lists: 'all' }) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  const startedAtMs = model.nowMs
  expect(await processed(100)).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
  expect(model.nowMs - startedAtMs).toBeLessThan(600_000)
})

test('where no session was made, another key makes one', async () => {
  model = new ModelStation({ around: spoilsFirstKey({ makesIt: false, lists: 'all' }) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  const startedAtMs = model.nowMs
  expect(await processed(100)).toBe(true)
  expect(model.service.sessions.size).toBe(1)
  expect(model.nowMs - startedAtMs).toBeLessThan(600_000)
})

test('while its session may be the one that the list cannot show, no second one is made', async () => {
  model = new ModelStation({ around: spoilsFirstKey({ makesIt: true, lists: 'unreadable' }) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await processed(60)).toBe(false)
  expect(model.service.sessions.size).toBe(1)
  expect(model.recordings()[0]).toMatchObject({
    state: 'ready',
    problem: { code: 'service-answer-unreadable' },
  })
})
