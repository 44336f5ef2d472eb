import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createServiceClock } from '../../../../../main/agent/service/service-clock.ts'

const START_MS = Date.UTC(2030, 0, 1)

/** A service whose true time is `START_MS + monotonicMs`, and a PC whose wall clock is off by `wallErrorMs`. */
const createClock = (wallErrorMs = 0) => {
  let monotonicMs = 5000.25
  let currentWallErrorMs = wallErrorMs
  const trueTimeMs = () => START_MS + monotonicMs
  const clock = createServiceClock({
    monotonicMs: () => monotonicMs,
    wallMs: () => trueTimeMs() + currentWallErrorMs,
  })
  const roundTrip = (thereMs: number, backMs: number) => {
    const sentMs = monotonicMs
    monotonicMs += thereMs
    const dateMs = Math.floor(trueTimeMs() / 1000) * 1000
    monotonicMs += backMs
    clock.observe({ dateMs, sentMs, receivedMs: monotonicMs })
  }
  return {
    clock,
    trueTimeMs,
    roundTrip,
    advance: (ms: number) => {
      monotonicMs += ms
    },
    setWall: (errorMs: number) => {
      currentWallErrorMs = errorMs
    },
  }
}

describe('service clock', () => {
  test("is the PC's clock until the service has answered", () => {
    const { clock, trueTimeMs } = createClock(250)
    expect(clock.nowMs()).toBe(Math.floor(trueTimeMs() + 250))
    expect(clock.offsetMs()).toBeNull()
  })

  test('is in whole milliseconds, because the journal refuses fractions', () => {
    const { clock, roundTrip } = createClock()
    expect(Number.isInteger(clock.nowMs())).toBe(true)
    roundTrip(5.3, 7.9)
    expect(Number.isInteger(clock.nowMs())).toBe(true)
    clock.forgetMonotonic()
    expect(Number.isInteger(clock.nowMs())).toBe(true)
  })

  test("does not change if the PC's clock is set", () => {
    const { clock, trueTimeMs, roundTrip, setWall } = createClock(-86_400_000)
    roundTrip(20, 20)
    const before = clock.nowMs()
    setWall(7 * 86_400_000)
    expect(clock.nowMs()).toBe(before)
    expect(Math.abs(clock.nowMs() - trueTimeMs())).toBeLessThan(1000)
  })

  test('uses the wall clock and the last offset after sleep', () => {
    const { clock, trueTimeMs, roundTrip } = createClock(3_600_000)
    roundTrip(5, 5)
    clock.forgetMonotonic()
    expect(Math.abs(clock.nowMs() - trueTimeMs())).toBeLessThan(1000)
  })

  test('follows the service’s clock when that clock is set', () => {
    const { clock, roundTrip } = createClock()
    roundTrip(5, 5)
    clock.observe({ dateMs: START_MS + 10_000_000, sentMs: 6000, receivedMs: 6010 })
    expect(Math.abs(clock.nowMs() - (START_MS + 10_000_000))).toBeLessThan(2000)
  })

  test('is off by at most half a second plus half the round trip, and gets more precise', () => {
    const trip = fc.record({ there: fc.nat(3000), back: fc.nat(3000), pause: fc.nat(60_000) })
    fc.assert(
      fc.property(fc.array(trip, { minLength: 1, maxLength: 40 }), (trips) => {
        const { clock, trueTimeMs, roundTrip, advance } = createClock()
        let bestMs = Number.POSITIVE_INFINITY
        for (const { there, back, pause } of trips) {
          advance(pause)
          // The bound of an earlier answer grows, because clocks drift.
          bestMs = Math.min(bestMs + (pause + there + back) * 0.0002, 500 + (there + back) / 2)
          roundTrip(there, back)
          expect(Math.abs(clock.nowMs() - trueTimeMs())).toBeLessThanOrEqual(bestMs + 1)
        }
      }),
    )
  })
})
