import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createServiceClock } from '../../../../../main/agent/service/service-clock.ts'

const START = Date.UTC(2030, 0, 1)

/** A service whose true time is `monotonic + START`, and a PC whose wall clock is off by `wallErrorMs`. */
const setUp = (wallErrorMs = 0) => {
  let monotonic = 5000.25
  let wallError = wallErrorMs
  const truth = () => START + monotonic
  const clock = createServiceClock({ monotonicMs: () => monotonic, wallMs: () => truth() + wallError })
  const roundTrip = (thereMs: number, backMs: number) => {
    const sentMs = monotonic
    monotonic += thereMs
    const dateMs = Math.floor(truth() / 1000) * 1000
    monotonic += backMs
    clock.observe({ dateMs, sentMs, receivedMs: monotonic })
  }
  return {
    clock,
    truth,
    roundTrip,
    advance: (ms: number) => {
      monotonic += ms
    },
    setWall: (errorMs: number) => {
      wallError = errorMs
    },
  }
}

describe('service clock', () => {
  test("is the PC's clock until the service has answered", () => {
    const { clock, truth } = setUp(250)
    expect(clock.nowMs()).toBe(Math.floor(truth() + 250))
    expect(clock.offsetMs()).toBeNull()
  })

  test('is in whole milliseconds, because the journal refuses fractions', () => {
    const { clock, roundTrip } = setUp()
    expect(Number.isInteger(clock.nowMs())).toBe(true)
    roundTrip(5.3, 7.9)
    expect(Number.isInteger(clock.nowMs())).toBe(true)
    clock.forgetMonotonic()
    expect(Number.isInteger(clock.nowMs())).toBe(true)
  })

  test("setting the PC's clock changes nothing", () => {
    const { clock, truth, roundTrip, setWall } = setUp(-86_400_000)
    roundTrip(20, 20)
    const before = clock.nowMs()
    setWall(7 * 86_400_000)
    expect(clock.nowMs()).toBe(before)
    expect(Math.abs(clock.nowMs() - truth())).toBeLessThan(1000)
  })

  test('uses the wall clock and the last offset after sleep', () => {
    const { clock, truth, roundTrip } = setUp(3_600_000)
    roundTrip(5, 5)
    clock.forgetMonotonic()
    expect(Math.abs(clock.nowMs() - truth())).toBeLessThan(1000)
  })

  test('follows a service whose clock was set', () => {
    const { clock, roundTrip } = setUp()
    roundTrip(5, 5)
    clock.observe({ dateMs: START + 10_000_000, sentMs: 6000, receivedMs: 6010 })
    expect(Math.abs(clock.nowMs() - (START + 10_000_000))).toBeLessThan(2000)
  })

  test('is off by at most half a second plus half the round trip, and gets more precise', () => {
    const trip = fc.record({ there: fc.nat(3000), back: fc.nat(3000), pause: fc.nat(60_000) })
    fc.assert(
      fc.property(fc.array(trip, { minLength: 1, maxLength: 40 }), (trips) => {
        const { clock, truth, roundTrip, advance } = setUp()
        let bestMs = Number.POSITIVE_INFINITY
        for (const { there, back, pause } of trips) {
          advance(pause)
          // The allowance for drift may widen old bounds.
          bestMs = Math.min(bestMs + (pause + there + back) * 0.0002, 500 + (there + back) / 2)
          roundTrip(there, back)
          expect(Math.abs(clock.nowMs() - truth())).toBeLessThanOrEqual(bestMs + 1)
        }
      }),
    )
  })
})
