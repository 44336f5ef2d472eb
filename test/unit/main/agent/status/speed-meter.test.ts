import { expect, test } from 'vitest'
import { SpeedMeter } from '../../../../../main/agent/status/speed-meter.ts'

/** Sends 1,000 bytes of each upload every 100 ms. */
const send = (meter: SpeedMeter, fromMs: number, toMs: number, ids: readonly number[]) => {
  for (let atMs = fromMs; atMs <= toMs; atMs += 100) for (const id of ids) meter.add(id, 1_000, atMs)
}

test('the speeds of all uploads add up to the total', () => {
  const meter = new SpeedMeter()
  send(meter, 0, 5_000, [1])
  send(meter, 5_100, 20_000, [1, 2, 3])
  const total = meter.bytesPerSecond(20_000, true) ?? 0
  const speeds = [1, 2, 3].map((id) => meter.bytesPerSecond(20_000, true, id) ?? 0)
  expect(total).toBeGreaterThan(0)
  expect(Math.abs(speeds.reduce((sum, speed) => sum + speed, 0) - total)).toBeLessThanOrEqual(3)
})

test('the last speed stays for a while after the last byte, and then disappears', () => {
  const meter = new SpeedMeter()
  expect(meter.bytesPerSecond(0, false)).toBeNull()
  send(meter, 0, 10_000, [1])
  const speed = meter.bytesPerSecond(10_000, true)
  expect(meter.bytesPerSecond(11_500, false)).toBe(speed)
  expect(meter.bytesPerSecond(12_500, false)).toBeNull()
  expect(meter.bytesPerSecond(19_000, true)).toBe(speed)
  expect(meter.bytesPerSecond(20_500, true)).toBeNull()
  // After a long pause, the measurement starts again.
  meter.add(1, 1_000, 3_600_000)
  expect(meter.bytesPerSecond(3_600_000, true)).toBeNull()
})

test('if one of two uploads stops, its speed disappears and does not fall slowly to zero', () => {
  const meter = new SpeedMeter()
  send(meter, 0, 10_000, [1, 2])
  meter.add(1, 1, 10_100)
  for (let atMs = 10_200; atMs <= 30_000; atMs += 100) {
    meter.add(2, 1_000, atMs)
    const speed = meter.bytesPerSecond(atMs, true, 1)
    expect(speed === null || speed >= 1_000).toBe(true)
  }
  expect(meter.bytesPerSecond(30_000, true, 1)).toBeNull()
})
