import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  eventScanIntervalMs,
  scanCostMs,
  scanIntervalMs,
} from '../../../../../main/agent/domain/scan-interval.ts'

const HALF_A_MINUTE = 30_000

test('scans a folder that is quick to scan every half minute, with or without events', () => {
  expect(scanIntervalMs(50, true)).toBe(HALF_A_MINUTE)
  expect(scanIntervalMs(1_000, false)).toBe(HALF_A_MINUTE)
})

test('scans of a large folder with events take less than half a percent of the time', () => {
  expect(2_000 / scanIntervalMs(2_000, true)).toBeLessThan(0.005)
})

test('every folder is scanned within its limit, and a share at least as often as a folder with events', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (costMs) => {
      expect(scanIntervalMs(costMs, true)).toBeLessThanOrEqual(15 * 60_000)
      expect(scanIntervalMs(costMs, false)).toBeLessThanOrEqual(5 * 60_000)
      expect(scanIntervalMs(costMs, false)).toBeLessThanOrEqual(scanIntervalMs(costMs, true))
      expect(scanIntervalMs(costMs, false)).toBeGreaterThanOrEqual(HALF_A_MINUTE)
    }),
  )
})

test('scans a small folder for a new file at once, however long the event loop was busy', () => {
  const busy = scanCostMs(600, { known: 40, added: 5, announces: true })
  expect(eventScanIntervalMs(busy)).toBe(100)
})

test('time for known files counts as scan cost, time for new files does not; a share counts in full', () => {
  expect(scanCostMs(600, { known: 0, added: 30_000, announces: true })).toBe(0)
  expect(scanCostMs(1_000, { known: 100_000, added: 0, announces: true })).toBe(1_000)
  expect(eventScanIntervalMs(1_000)).toBe(10_000)
  expect(scanCostMs(2_000, { known: 1_000, added: 0, announces: false })).toBe(2_000)
})
