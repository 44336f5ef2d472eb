import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { done } from '../../../main/agent/domain/failure.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { TakeStation } from '../../support/model/take-station.ts'

/**
 * A camera writes thousands of numbered images. Sluice inspects each image at once, but checks the series for missing
 * images only when the take is finished.
 */

const image: Inspection = {
  format: 'jpeg',
  completeness: 'complete',
  startedAtMs: null,
  endedAtMs: null,
  durationS: null,
  channels: [{ name: 'image', type: '640×480', messages: 1, rateHz: null, largestGapS: null }],
  warnings: [],
}
const NAMES = [1, 2, 3, 6, 7, 8].map((n) => `run/image_${n}.jpg`)

let model: TakeStation
beforeEach(() => {
  model = new TakeStation()
  model.configure({ settle_seconds: 60 })
  model.drive.inspection = { format: 'jpeg', complete: 'yes', writer: 'none', sample: '' }
  Object.assign(model.drive.inspectionThread, { inspect: async () => done(image) })
})
afterEach(() => model.closeAndExpectNoBugs())

const isInspected = (name: string) => model.journal.inspections.of(model.at(name).id) !== null
const record = async (names: readonly string[]) => {
  for (const name of names) {
    model.write(name)
    await model.passSeconds(5)
  }
  expect(names.filter((name) => !isInspected(name))).toEqual([])
}
const warningsOf = (name: string) => model.journal.inspections.of(model.at(name).id)?.warnings

test('Sluice does not check the series of a growing take after each image', async () => {
  const readImages = vi.spyOn(model.journal.inspections, 'imagesIn')
  await record(NAMES)
  expect(readImages).not.toHaveBeenCalled()
  expect(await model.areProcessed()).toBe(true)
  expect(readImages.mock.calls.length).toBeLessThanOrEqual(2)
  expect(warningsOf('run/image_1.jpg')).toEqual([
    { code: 'images-missing', detail: '2 of 8 images are missing: 4 to 5.' },
  ])
})

test('a series is checked although Sluice restarted after the last inspection', async () => {
  await record(NAMES)
  model.restart()
  expect(await model.areProcessed()).toBe(true)
  expect(warningsOf('run/image_1.jpg')).toHaveLength(1)
})

test('a series is checked although Sluice was killed after its images were hashed', async () => {
  // Delays the check of the series until after the kill.
  const unfinished = vi.spyOn(model.journal.inspections, 'isUnfinished').mockReturnValue(true)
  model.journal.station.pause(null)
  await record(NAMES)
  const isHashed = () =>
    model.recordings().every(({ state }) => !['growing', 'queued', 'hashing'].includes(state))
  expect(await model.until(isHashed)).toBe(true)
  unfinished.mockRestore()
  model.restart()
  model.journal.station.resume()
  expect(await model.areProcessed()).toBe(true)
  expect(warningsOf('run/image_1.jpg')).toHaveLength(1)
})

test('missing images that arrive later end the warning', async () => {
  await record(NAMES)
  expect(await model.areProcessed()).toBe(true)
  for (const name of ['run/image_4.jpg', 'run/image_5.jpg']) model.write(name)
  expect(await model.until(() => model.recordings().length === 8)).toBe(true)
  expect(await model.areProcessed()).toBe(true)
  expect(warningsOf('run/image_1.jpg')).toEqual([])
})
