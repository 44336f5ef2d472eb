import { afterEach, expect, test } from 'vitest'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

test('an answer from a cache never justifies the removal of a file', async () => {
  let isCached = true
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: async (...args) => {
        const answer = await client.retrieveSession(...args)
        return answer.ok ? { ok: true, value: { ...answer.value, isCached } } : answer
      },
    }),
  })
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, after_upload: { action: 'delete', days: 0 } }],
  })
  const path = `${FOLDER}/take.bin`
  model.drive.write(path, 'a night', 8_000_001)
  const waitsFor = () => model.journal.removals.of(model.firstRecording().id)?.waits
  expect(
    await model.until(() => model.recordings()[0]?.state === 'processed' && waitsFor() === 'no-answer'),
  ).toBe(true)
  expect(model.drive.paths()).toContain(path)
  isCached = false
  expect(await model.until(() => !model.drive.paths().includes(path))).toBe(true)
})
