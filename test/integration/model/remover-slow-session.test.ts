import { afterEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import { isProcessed, pathOf, pathsInFolder, SIZE, setRule } from '../../support/model/removal-station.ts'
import { ModelStation } from '../../support/model/station.ts'

/** The service answers for one session only after this time. */
const SLOW_MS = 50_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

test('a slow session does not delay the removal of other files, and its own file is removed later', async () => {
  let slowId: string | null = null
  const unanswered = new Set<() => void>()
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: (id, signal) => {
        if (id !== slowId) return client.retrieveSession(id, signal)
        const answerAtMs = model.nowMs + SLOW_MS
        return new Promise((resolve) => {
          const answerIfDue = () => {
            if (signal.aborted) resolve(failed({ kind: 'cancelled' }))
            else if (model.nowMs >= answerAtMs) resolve(client.retrieveSession(id, signal))
            else return
            unanswered.delete(answerIfDue)
          }
          unanswered.add(answerIfDue)
        })
      },
    }),
  })
  for (const take of [0, 1]) model.drive.write(pathOf(take), `content ${take}`, SIZE)
  expect(await model.until(() => model.recordings().length === 2 && isProcessed(model))).toBe(true)
  slowId = model.recordingAt(pathOf(0)).sessionId
  setRule(model, { action: 'delete', days: 0 })
  /** Time passes in steps that are shorter than the time limit. */
  const passUntil = async (condition: () => boolean) => {
    for (let step = 0; step < 600 && !condition(); step += 1) {
      await model.round()
      await model.pass(5_000)
      for (const answerIfDue of unanswered) answerIfDue()
      await model.pass(0)
    }
  }
  await passUntil(() => !pathsInFolder(model).includes(pathOf(1)))
  expect(pathsInFolder(model)).toEqual([pathOf(0)])
  await passUntil(() => pathsInFolder(model).length === 0)
  expect(pathsInFolder(model)).toEqual([])
})
