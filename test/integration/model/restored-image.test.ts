import { afterEach, expect, test } from 'vitest'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

let model: ModelStation
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

test('recordings from after an image of the system disk are not uploaded again when the image is restored', async () => {
  model = new ModelStation()
  const areProcessed = (count: number) => () =>
    model.recordings().length === count && model.recordings().every(({ state }) => state === 'processed')
  model.drive.write(`${FOLDER}/take-1.bin`, 'night 1', 30_000_000)
  expect(await model.until(areProcessed(1))).toBe(true)
  await model.restoreImageAfter(async () => {
    model.drive.write(`${FOLDER}/take-2.bin`, 'night 2', 30_000_000)
    expect(await model.until(areProcessed(2))).toBe(true)
  })
  expect(model.recordings()).toHaveLength(1)
  expect(await model.until(areProcessed(2))).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1', 'ses_2'])
})
