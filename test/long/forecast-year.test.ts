import { afterAll, expect, test } from 'vitest'
import { forecastDiskSpace, scoreDiskSpace } from '../evaluation/disk-space.ts'
import { askForAYear, judge } from '../evaluation/forecast.ts'
import { kinds } from '../evaluation/simulated-year.ts'

/** A short run of `npm run evaluate`, with the same seed every time. */
const DAYS = 45
const SEED = 7

const zone = process.env.TZ
process.env.TZ = 'Europe/Berlin'
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

const [lab] = kinds
if (lab === undefined) throw new Error('a station is needed')

test('the forecast is within 20 % in nine of ten simulated nights', () => {
  const judged = judge(askForAYear(lab, DAYS, SEED))
  expect(judged.questions).toBeGreaterThan(50)
  expect(judged.nightsWithin).toBeGreaterThanOrEqual(0.9)
  expect(judged.inRange).toBeGreaterThan(0.7)
})

test('free space lasts as long as forecast, within a night or 20 %', () => {
  const judged = scoreDiskSpace(forecastDiskSpace(lab, DAYS, SEED))
  expect(judged.questions).toBeGreaterThan(50)
  expect(judged.near).toBeGreaterThanOrEqual(0.8)
})
