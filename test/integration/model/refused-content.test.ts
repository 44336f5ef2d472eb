import { afterEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

/** Refuses to complete the first `times` sessions. They become `failed`, although §3 does not require this. */
const failRefusedSessions =
  (times: number) =>
  (client: ServiceClient): ServiceClient => {
    const refusedIds = new Set<string>()
    return {
      ...client,
      completeSession: async (id, ...rest) => {
        if (!refusedIds.has(id) && refusedIds.size >= times) return client.completeSession(id, ...rest)
        const code = refusedIds.has(id) ? 'conflict' : 'checksum_mismatch'
        refusedIds.add(id)
        return failed({ kind: 'conflict', code, message: 'no', requestId: 'req_1' })
      },
      retrieveSession: async (id, signal) => {
        const answer = await client.retrieveSession(id, signal)
        if (!answer.ok || !refusedIds.has(id)) return answer
        const value = { ...answer.value.value, status: 'failed', upload: null }
        return { ok: true, value: { ...answer.value, value } }
      },
    }
  }

const collectProblemCodes = async (rounds: number): Promise<ReadonlySet<string>> => {
  const codes = new Set<string>()
  await model.until(() => {
    const [recording] = model.recordings()
    if (recording?.problem != null) codes.add(recording.problem.code)
    return recording?.state === 'processed'
  }, rounds)
  return codes
}

test('if the service refuses the content once, Sluice uploads it in a new session and reports no problem', async () => {
  model = new ModelStation({ wrapClient: failRefusedSessions(1) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect([...(await collectProblemCodes(300))]).toEqual([])
  expect(model.recordings()[0]).toMatchObject({ state: 'processed', sessionId: 'ses_2', mismatches: 2 })
  expect(model.service.deletions).toEqual([])
})

test('Sluice reports content that the service refuses repeatedly, and retries every hour', async () => {
  model = new ModelStation({ wrapClient: failRefusedSessions(Number.POSITIVE_INFINITY) })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  const startedAtMs = model.nowMs
  expect([...(await collectProblemCodes(200))]).toEqual(['checksum-mismatch'])
  const hours = (model.nowMs - startedAtMs) / 3_600_000
  expect(hours).toBeGreaterThan(4)
  expect(model.service.sessions.size).toBeLessThan(hours + 5)
  expect(model.service.sessions.size).toBeGreaterThan(hours / 2)
})
