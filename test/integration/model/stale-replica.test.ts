import { afterEach, expect, test } from 'vitest'
import type { RemoteSession, ServiceClient } from '../../../main/agent/ports/service.ts'
import { connectionReset } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** The contract does not promise read-after-write (§4.4): here reads come from a stale replica. */

const PARTS = 3
const SIZE = PARTS * 64_000_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

/** For `lagMs` after its creation, reads show a session as it was at first. */
const lagBehindBy =
  (lagMs: number) =>
  (client: ServiceClient): ServiceClient => {
    const openedSessions = new Map<string, RemoteSession>()
    return {
      ...client,
      createSession: async (request, key, signal) => {
        const answer = await client.createSession(request, key, signal)
        const { id } = answer.ok ? answer.value.value : { id: '' }
        const retrieved = await client.retrieveSession(id, signal)
        if (retrieved.ok) openedSessions.set(id, retrieved.value.value)
        return answer
      },
      retrieveSession: async (id, signal) => {
        const answer = await client.retrieveSession(id, signal)
        const staleSession = openedSessions.get(id)
        if (!answer.ok || staleSession === undefined) return answer
        const isBehind = model.nowMs - Date.parse(staleSession.createdAt ?? '') < lagMs
        return isBehind ? { ok: true, value: { ...answer.value, value: staleSession } } : answer
      },
    }
  }

/** The first completion succeeds, but its answer is lost. */
const loseFirstCompletion = () => {
  let isLost = false
  model.service.fate = (call) => {
    if (call !== 'complete' || isLost) return { kind: 'answered' }
    isLost = true
    return { kind: 'lost', failure: connectionReset }
  }
}

test('after the answer to a completion is lost, Sluice repeats the completion before it trusts a stale replica', async () => {
  model = new ModelStation({ wrapClient: lagBehindBy(60_000) })
  loseFirstCompletion()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  expect(await model.until(() => model.firstRecording().state === 'processing')).toBe(true)
  expect(model.service.countCalls('part')).toBe(PARTS)
  expect(model.service.countCalls('complete')).toBe(2)
})

test('a recording is processed in its first session, although a stale replica shows the session as open', async () => {
  const forgetKeys = (client: ServiceClient): ServiceClient => ({
    ...client,
    completeSession: (id, request, _key, signal) =>
      client.completeSession(id, request, `forgotten-${model.service.countCalls('complete')}`, signal),
  })
  model = new ModelStation({ wrapClient: (client) => lagBehindBy(10_000)(forgetKeys(client)) })
  loseFirstCompletion()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', SIZE)
  const isDecided = () =>
    model.firstRecording().state === 'processed' || model.firstRecording().problem?.endsBy === 'answer'
  expect(await model.until(isDecided)).toBe(true)
  expect(model.firstRecording()).toMatchObject({ state: 'processed', problem: null })
  expect(model.service.sessions.size).toBe(1)
})
