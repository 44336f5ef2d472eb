import { afterEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { isProcessed, pathsInFolder, SIZE } from '../../support/model/removal-station.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** The service answers a poll of a slow session only after this time. */
const SLOW_MS = 50_000

const pathOf = (file: number) => `${FOLDER}/run_${file}.bin`

let model: ModelStation
let slowSessions: Set<string>
let unansweredPolls: Set<() => void>
let pollsMs: number[]
afterEach(() => model.closeAndExpectNoBugs())

/** Opens a station with two processed files, then makes the sessions of the files in `slowFiles` slow. */
const processFiles = async (...slowFiles: readonly number[]): Promise<void> => {
  slowSessions = new Set()
  unansweredPolls = new Set()
  pollsMs = []
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: (id, signal) => {
        if (!slowSessions.has(id)) return client.retrieveSession(id, signal)
        const startedAtMs = model.nowMs
        return new Promise((resolve) => {
          const answerIfDue = () => {
            if (signal.aborted) resolve(failed({ kind: 'cancelled' }))
            else if (model.nowMs >= startedAtMs + SLOW_MS) resolve(client.retrieveSession(id, signal))
            else return
            pollsMs.push(model.nowMs - startedAtMs)
            unansweredPolls.delete(answerIfDue)
          }
          unansweredPolls.add(answerIfDue)
        })
      },
    }),
  })
  for (const file of [0, 1]) model.drive.write(pathOf(file), `content ${file}`, SIZE)
  expect(await model.until(() => model.recordings().length === 2 && isProcessed(model))).toBe(true)
  for (const file of slowFiles) slowSessions.add(model.recordingAt(pathOf(file)).sessionId ?? '')
}

const deleteFiles = (take: 'file' | 'split' = 'file'): void => {
  const folder = { path: FOLDER, site: 'lab', settle_seconds: 1, take }
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ ...folder, after_upload: { action: 'delete', days: 0 } }],
  })
  model.restart()
}

/** Lets time pass in steps that are shorter than the timeout of a poll. */
const passUntil = async (condition: () => boolean): Promise<void> => {
  for (let step = 0; step < 1_200 && !condition(); step += 1) {
    await model.round()
    await model.pass(5_000)
    for (const answerIfDue of unansweredPolls) answerIfDue()
    await model.pass(0)
  }
}

test('a slow session does not delay the removal of other files, and its own file is removed later', async () => {
  await processFiles(0)
  deleteFiles()
  await passUntil(() => !pathsInFolder(model).includes(pathOf(1)))
  expect(pathsInFolder(model)).toEqual([pathOf(0)])
  await passUntil(() => pathsInFolder(model).length === 0)
  expect(pathsInFolder(model)).toEqual([])
})

test('earlier waits for other reasons do not lengthen the timeout of the first poll', async () => {
  await processFiles(0)
  for (let wait = 0; wait < 10; wait += 1)
    model.journal.removals.wait(model.recordingAt(pathOf(0)), 'take-not-safe')
  model.journal.removals.retryHeld()
  deleteFiles()
  await passUntil(() => pollsMs.length === 3)
  expect(pollsMs).toEqual([20_000, 40_000, 50_000])
})

test('a take with two slow sessions is removed', async () => {
  await processFiles(0, 1)
  deleteFiles('split')
  await passUntil(() => pathsInFolder(model).length === 0)
  expect(pathsInFolder(model)).toEqual([])
  expect(model.recordings().map(({ take }) => take)).toEqual([`${FOLDER}/run_*.bin`, `${FOLDER}/run_*.bin`])
  expect(pollsMs.slice(0, 2)).toEqual([20_000, 20_000])
})
