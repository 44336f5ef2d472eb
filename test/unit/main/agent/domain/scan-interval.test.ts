import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  eventScanIntervalMs,
  scanCostMs,
  scanIntervalMs,
} from '../../../../../main/agent/domain/scan-interval.ts'

const HALF_MINUTE_MS = 30_000

test('scans a folder every half minute if a scan is quick, with or without events', () => {
  expect(scanIntervalMs(50, true)).toBe(HALF_MINUTE_MS)
  expect(scanIntervalMs(1_000, false)).toBe(HALF_MINUTE_MS)
})

test('scanning a large folder that sends events takes less than 0.5% of the time', () => {
  expect(2_000 / scanIntervalMs(2_000, true)).toBeLessThan(0.005)
})

test('the longest scan interval is 15 minutes for a folder that sends events, and 5 minutes for a share', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (costMs) => {
      expect(scanIntervalMs(costMs, true)).toBeLessThanOrEqual(15 * 60_000)
      expect(scanIntervalMs(costMs, false)).toBeLessThanOrEqual(5 * 60_000)
      expect(scanIntervalMs(costMs, false)).toBeLessThanOrEqual(scanIntervalMs(costMs, true))
      expect(scanIntervalMs(costMs, false)).toBeGreaterThanOrEqual(HALF_MINUTE_MS)
    }),
  )
})

test('scans a small folder at once for a new file, even if the event loop was busy during the last scan', () => {
  const costMs = scanCostMs(600, { known: 40, added: 5, sendsEvents: true })
  expect(eventScanIntervalMs(costMs)).toBe(100)
})

test('the scan cost counts the time for known files but not for new files; on a share, it also counts other work of the event loop', () => {
  expect(scanCostMs(600, { known: 0, added: 30_000, sendsEvents: true })).toBe(0)
  expect(scanCostMs(1_000, { known: 100_000, added: 0, sendsEvents: true })).toBe(1_000)
  expect(eventScanIntervalMs(1_000)).toBe(10_000)
  expect(scanCostMs(2_000, { known: 1_000, added: 0, sendsEvents: false })).toBe(2_000)
})
