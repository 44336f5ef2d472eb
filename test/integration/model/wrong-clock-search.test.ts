import { afterEach, expect, test } from 'vitest'
import { connectionReset } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const DAY_MS = 86_400_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

test('finds the session of a request that was sent while the PC’s clock was days ahead', async () => {
  model = new ModelStation()
  model.wallShiftMs = 3 * DAY_MS
  model.service.fate = (call) =>
    call === 'create' ? { kind: 'lost', failure: connectionReset } : { kind: 'answered' }
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await model.until(() => model.service.sessions.size === 1)).toBe(true)
  // The clock is corrected, and the PC stays off for four days.
  model.wallShiftMs = 0
  await model.pass(4 * DAY_MS)
  model.restart()
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('after a lost journal, finds the session of a renamed file although the service’s clock is a minute behind', async () => {
  const behindMs = 60_000
  model = new ModelStation({ wrapClient: (client) => ({ ...client, clockOffsetMs: () => -behindMs }) })
  const [folder] = model.settings.folders
  if (folder === undefined) throw new Error('there is no folder')
  model.settings = { ...model.settings, folders: [{ ...folder, upload_duplicates: true }] }
  model.drive.write(`${FOLDER}/before.bin`, 'a night', 30_000_000)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  for (const session of model.service.sessions.values())
    Object.assign(session, { createdAtMs: session.createdAtMs - behindMs })
  model.drive.rename(`${FOLDER}/before.bin`, `${FOLDER}/after.bin`)
  model.loseJournal()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})
