import { afterAll, expect, test } from 'vitest'
import { forecastDiskSpace, scoreDiskSpace } from '../evaluation/disk-space.ts'
import { forecastYear, scoreForecasts } from '../evaluation/forecast.ts'
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

test('in nine of ten simulated nights, the median error of the forecast upload times is at most 20 %', () => {
  const score = scoreForecasts(forecastYear(lab, DAYS, SEED))
  expect(score.count).toBeGreaterThan(50)
  expect(score.nightsWithinShare).toBeGreaterThanOrEqual(0.9)
  expect(score.inRangeShare).toBeGreaterThan(0.7)
})

test('in four of five cases, the forecast of free space is wrong by at most one night or 20 %', () => {
  const score = scoreDiskSpace(forecastDiskSpace(lab, DAYS, SEED))
  expect(score.count).toBeGreaterThan(50)
  expect(score.nearShare).toBeGreaterThanOrEqual(0.8)
})
