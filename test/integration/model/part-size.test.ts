import { afterEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

test('Sluice reports a part size that changes with every answer, instead of hashing the file without end', async () => {
  let polls = 0
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      sendPart: async () => failed({ kind: 'url-expired' }),
      retrieveSession: async (...args) => {
        const answer = await client.retrieveSession(...args)
        if (!answer.ok || answer.value.value.upload === null) return answer
        polls += 1
        const upload = {
          ...answer.value.value.upload,
          partSizeBytes: polls % 2 === 0 ? 8_388_608 : 16_777_216,
        }
        return { ...answer, value: { ...answer.value, value: { ...answer.value.value, upload } } }
      },
    }),
  })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  model.hint()
  expect(await model.until(() => model.recordings()[0]?.problem?.code === 'parts-impossible')).toBe(true)
  expect(polls).toBeLessThan(10)
  await model.until(() => false, 40)
  expect(model.firstRecording().problem?.code).toBe('parts-impossible')
})
