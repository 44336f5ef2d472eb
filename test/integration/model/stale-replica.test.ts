import { afterEach, expect, test } from 'vitest'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import type { RemoteSession, ServiceClient } from '../../../main/agent/ports/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** The contract does not promise read-after-write (§4.4): here reads come from a stale replica. */

const PARTS = 3
const SIZE = PARTS * 64_000_000

let model: ModelStation
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const countCalls = (what: string) => model.service.calls.filter((one) => one === what).length

/** For `lagMs` after its creation, a session still reads as newly opened. */
const laggingBy =
  (lagMs: number) =>
  (client: ServiceClient): ServiceClient => {
    const opened = new Map<string, RemoteSession>()
    return {
      ...client,
      createSession: async (request, key, signal) => {
        const answer = await client.createSession(request, key, signal)
        const { id } = answer.ok ? answer.value.value : { id: '' }
        const seen = await client.retrieveSession(id, signal)
        if (seen.ok) opened.set(id, seen.value.value)
        return answer
      },
      retrieveSession: async (id, signal) => {
        const answer = await client.retrieveSession(id, signal)
        const old = opened.get(id)
        if (!answer.ok || old === undefined) return answer
        const isBehind = model.nowMs - Date.parse(old.createdAt ?? '') < lagMs
        return isBehind ? { ok: true, value: { ...answer.value, value: old } } : answer
      },
    }
  }

const unanswered: Failure = { kind: 'network', origin: 'control', connected: true, detail: 'reset' }

/** The first completion succeeds, but its answer is lost. */
const loseFirstCompletion = () => {
  let lost = false
  model.service.fate = (what) => {
    if (what !== 'complete' || lost) return { kind: 'answered' }
    lost = true
    return { kind: 'lost', failure: unanswered }
  }
}

test('repeats a completion whose answer was lost before it trusts a stale replica that misses parts', async () => {
  model = new ModelStation({ wrapClient: laggingBy(60_000) })
  loseFirstCompletion()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  expect(await model.until(() => model.firstRecording().state === 'processing')).toBe(true)
  expect(countCalls('part')).toBe(PARTS)
  expect(countCalls('complete')).toBe(2)
})

test('reads the session before it resends a refused part, without an extra wait', async () => {
  const keysForgotten = (client: ServiceClient): ServiceClient => ({
    ...client,
    completeSession: (id, request, _key, signal) =>
      client.completeSession(id, request, `forgotten-${countCalls('complete')}`, signal),
  })
  model = new ModelStation({ wrapClient: (client) => laggingBy(10_000)(keysForgotten(client)) })
  loseFirstCompletion()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  const isSettled = () =>
    model.firstRecording().state === 'processed' || model.firstRecording().problem?.endsBy === 'answer'
  expect(await model.until(isSettled)).toBe(true)
  expect(model.firstRecording()).toMatchObject({ state: 'processed', problem: null })
  expect(model.service.sessions.size).toBe(1)
})
