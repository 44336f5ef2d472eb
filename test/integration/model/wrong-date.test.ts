import { afterEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.bin`
const DAY_MS = 24 * 3_600_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const shownCodes = new Set<string>()
const waitUntilProcessed = (rounds: number) => {
  shownCodes.clear()
  return model.until(() => {
    for (const { problem } of model.recordings()) if (problem !== null) shownCodes.add(problem.code)
    for (const { code } of model.station.problems) shownCodes.add(code)
    return model.recordings()[0]?.state === 'processed'
  }, rounds)
}

test.each([3 * DAY_MS, -3 * DAY_MS])(
  'a Date header wrong by %i ms stops no upload, because the storage decides whether URLs are valid',
  async (wrongByMs) => {
    model = new ModelStation({
      wrapClient: (client) => ({
        ...client,
        nowMs: () => client.nowMs() + wrongByMs,
        clockOffsetMs: () => wrongByMs,
      }),
    })
    model.drive.write(FILE, 'a night', 200_000_000)
    expect(await waitUntilProcessed(100)).toBe(true)
    expect([...shownCodes].filter((code) => code !== 'clock-wrong')).toEqual([])
    expect(model.service.countCalls('part')).toBe(3)
  },
)

test('uses the same session to resend a part whose ETag was lost, even if the Date header is wrong', async () => {
  let isLost = false
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      nowMs: () => client.nowMs() + 3 * DAY_MS,
      sendPart: async (part) => {
        const answer = await client.sendPart(part)
        if (isLost) return answer
        isLost = true
        return failed({ kind: 'network', origin: 'storage', connected: true, detail: 'reset' })
      },
    }),
  })
  model.drive.write(FILE, 'a night', 200_000_000)
  await model.until(() => isLost)
  model.restart()
  expect(await waitUntilProcessed(100)).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('reports a storage that rejects every new URL as expired', async () => {
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      nowMs: () => client.nowMs() + 3 * DAY_MS,
      sendPart: async () => failed({ kind: 'url-expired' }),
    }),
  })
  model.drive.write(FILE, 'a night', 30_000_000)
  expect(await waitUntilProcessed(60)).toBe(false)
  expect([...shownCodes]).toContain('upload-refused')
})
