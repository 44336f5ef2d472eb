import { afterEach, beforeEach, expect, test } from 'vitest'
import type { InspectionThread } from '../../../main/agent/ports/inspection.ts'
import { TakeStation } from '../../support/model/take-station.ts'

/** Sluice inspects a closed file before the file settles, but uploads it only afterwards. */

let model: TakeStation
let inspected: string[]
beforeEach(() => {
  model = new TakeStation()
  model.configure({ take: 'file', settle_seconds: 60 })
  inspected = []
  const { inspect } = model.drive.inspectionThread
  const noted: InspectionThread['inspect'] = (request) => {
    inspected.push(request.path)
    return inspect(request)
  }
  Object.assign(model.drive.inspectionThread, { inspect: noted })
})
afterEach(() => model.closeAndExpectNoBugs())

const isInspected = (name: string) => model.journal.inspections.of(model.at(name).id) !== null
const isKnown = (name: string) => model.until(() => model.recordings().some((file) => file.name === name))

test.each([
  ['wav', 'yes'],
  ['flac', 'no'],
  ['jpeg', 'yes'],
  ['png', 'yes'],
  ['csv', 'unknown'],
] as const)(
  'a closed file of the format %s is inspected once, before it settles',
  async (format, complete) => {
    const name = `a.${format}`
    model.drive.inspection = { format, complete, writer: 'none', sample: '' }
    model.write(name)
    expect(await isKnown(name)).toBe(true)
    await model.passSeconds(4)
    expect(isInspected(name)).toBe(true)
    expect(model.at(name).state).toBe('growing')
    model.drive.inspection = { format, complete: 'yes', writer: 'none', sample: '' }
    expect(await model.until(() => model.at(name).state === 'processed')).toBe(true)
    expect(inspected).toHaveLength(1)
  },
)

test.each(['open', 'unseen'] as const)(
  'a file with the writer state "%s" is not inspected early',
  async (writer) => {
    model.drive.inspection = { format: 'wav', complete: 'yes', writer, sample: '' }
    model.write('mic.wav')
    expect(await isKnown('mic.wav')).toBe(true)
    await model.passSeconds(20)
    expect(inspected).toEqual([])
  },
)

test('a file that grows after its early inspection is inspected again once it has settled', async () => {
  model.drive.inspection = { format: 'csv', complete: 'unknown', writer: 'none', sample: '' }
  model.write('log.csv')
  expect(await isKnown('log.csv')).toBe(true)
  await model.passSeconds(4)
  expect(isInspected('log.csv')).toBe(true)
  model.drive.write(model.at('log.csv').path, 'log.csv and more', 12_000)
  model.hint()
  expect(await model.until(() => model.at('log.csv').identity.sizeBytes === 12_000)).toBe(true)
  expect(isInspected('log.csv')).toBe(false)
  // The recorder may append again, so Sluice waits until the file settles.
  await model.passSeconds(20)
  expect(isInspected('log.csv')).toBe(false)
  expect(await model.until(() => model.at('log.csv').state === 'processed' && isInspected('log.csv'))).toBe(
    true,
  )
})

test('the result of an early inspection survives a crash', async () => {
  model.drive.inspection = { format: 'wav', complete: 'yes', writer: 'none', sample: '' }
  model.write('mic.wav')
  expect(await isKnown('mic.wav')).toBe(true)
  await model.passSeconds(4)
  model.restart()
  expect(isInspected('mic.wav')).toBe(true)
  expect(await model.until(() => model.at('mic.wav').state === 'processed')).toBe(true)
  expect(inspected).toHaveLength(1)
})
