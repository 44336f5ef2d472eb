import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { type ForecastInput, forecastUpload } from '../../../../../main/agent/domain/forecast.ts'
import { type SentHour, sendingRate } from '../../../../../main/agent/domain/sending-rate.ts'
import { allowanceAt, openSpans } from '../../../../../main/agent/domain/upload-windows.ts'
import type { UploadWindow } from '../../../../../shared/settings/settings.ts'
import { runs } from '../../../../support/runs.ts'

/** The tests use the time zone of Berlin, where the clocks change twice a year at night. */
const zone = process.env.TZ
process.env.TZ = 'Europe/Berlin'
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

const HOUR_MS = 3_600_000
const everyDay: UploadWindow['days'] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const night: UploadWindow = { days: everyDay, from: '18:00', to: '06:00' }
const localMs = (text: string) => new Date(text).getTime()
const steadyRate = (bytesPerSecond: number, spread = 0.1) => ({
  bytesPerSecondAt: () => bytesPerSecond,
  spread,
})

const inputOf = (change: Partial<ForecastInput> & { readonly at: string }): ForecastInput => {
  const { at, ...rest } = change
  return {
    nowMs: localMs(at),
    fromMs: localMs(at),
    bytes: 36_000_000_000,
    transfer: { windows: [] },
    rate: steadyRate(10_000_000),
    usual: null,
    ...rest,
  }
}

describe('the forecast end of all uploads', () => {
  test('is an hour away for an hour of uploads, and has no deadline without upload hours', () => {
    const { doneAtMs, deadlineMs, capacityBytes } = forecastUpload(inputOf({ at: '2026-11-13T23:00:00' }))
    expect([doneAtMs, deadlineMs, capacityBytes]).toEqual([localMs('2026-11-14T00:00:00'), null, null])
  })

  test('skips the time outside the upload hours, and the end of the upload hours is the deadline', () => {
    const { startsAtMs, doneAtMs, deadlineMs, capacityBytes } = forecastUpload(
      inputOf({ at: '2026-11-13T12:00:00', transfer: { windows: [night] } }),
    )
    expect(startsAtMs).toBe(localMs('2026-11-13T18:00:00'))
    expect(doneAtMs).toBe(localMs('2026-11-13T19:00:00'))
    expect(deadlineMs).toBe(localMs('2026-11-14T06:00:00'))
    expect(capacityBytes).toBe(12 * 36_000_000_000)
  })

  test('is in the next upload hours if the recordings do not fit into the current ones', () => {
    const { doneAtMs, deadlineMs, capacityBytes } = forecastUpload(
      inputOf({ at: '2026-11-14T05:30:00', transfer: { windows: [night] } }),
    )
    expect(deadlineMs).toBe(localMs('2026-11-14T06:00:00'))
    expect(capacityBytes).toBe(18_000_000_000)
    expect(doneAtMs).toBe(localMs('2026-11-14T18:30:00'))
  })

  test('obeys the limit of each window, and counts adjacent windows as one', () => {
    const windows = [
      { ...night, from: '18:00', to: '22:00', limit_mbit_per_s: 40 },
      { ...night, from: '22:00', to: '06:00' },
    ]
    const { doneAtMs, deadlineMs } = forecastUpload(
      inputOf({ at: '2026-11-13T21:00:00', transfer: { windows } }),
    )
    // 5 MB/s for one hour, then 10 MB/s.
    expect(doneAtMs).toBe(localMs('2026-11-13T22:30:00'))
    expect(deadlineMs).toBe(localMs('2026-11-14T06:00:00'))
  })

  test('includes the wait for the end of a pause', () => {
    const { doneAtMs } = forecastUpload(
      inputOf({ at: '2026-11-13T20:00:00', fromMs: localMs('2026-11-13T21:00:00') }),
    )
    expect(doneAtMs).toBe(localMs('2026-11-13T22:00:00'))
  })

  test('takes account of the hour that a clock change removes or adds', () => {
    const spring = forecastUpload(inputOf({ at: '2026-03-28T18:00:00', transfer: { windows: [night] } }))
    const autumn = forecastUpload(inputOf({ at: '2026-10-24T18:00:00', transfer: { windows: [night] } }))
    expect(spring.capacityBytes).toBe(11 * 36_000_000_000)
    expect(autumn.capacityBytes).toBe(13 * 36_000_000_000)
  })

  test('has a second version that also includes tonight’s usual recordings', () => {
    const usual = (bytesPerHour: number) => ({
      bytesPerHourAt: (atMs: number) => (new Date(atMs).getHours() < 2 ? bytesPerHour : 0),
      bytesPerDay: 2 * bytesPerHour,
    })
    const forecastWith = (bytesPerHour: number) =>
      forecastUpload(
        inputOf({ at: '2026-11-14T00:00:00', transfer: { windows: [night] }, usual: usual(bytesPerHour) }),
      )
    expect(forecastWith(18_000_000_000).doneAtMs).toBe(localMs('2026-11-14T01:00:00'))
    expect(forecastWith(18_000_000_000).withUsual).toEqual({
      arrivingBytes: 36_000_000_000,
      unsentBytes: 0,
      doneAtMs: localMs('2026-11-14T02:00:00'),
    })
    expect(forecastWith(108_000_000_000).withUsual).toEqual({
      arrivingBytes: 216_000_000_000,
      unsentBytes: 36_000_000_000,
      doneAtMs: localMs('2026-11-14T19:00:00'),
    })
  })
})

const time = fc
  .record({ hour: fc.nat({ max: 23 }), minute: fc.constantFrom('00', '05', '30', '41') })
  .map(({ hour, minute }) => `${String(hour).padStart(2, '0')}:${minute}`)
const anyWindows = fc.array(
  fc.record({
    days: fc.subarray(everyDay, { minLength: 1 }),
    from: time,
    to: time,
    limit_mbit_per_s: fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined }),
  }),
  { maxLength: 3 },
)
/** Three days around each clock change, and three ordinary days. */
const anyMoment = fc
  .tuple(fc.constantFrom('2026-03-27', '2026-10-23', '2026-11-13'), fc.integer({ min: 0, max: 3 * 1_440 }))
  .map(([day, minutes]) => localMs(`${day}T00:00:00`) + minutes * 60_000)

const anyInput = fc
  .record({
    nowMs: anyMoment,
    pausedMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 * HOUR_MS })),
    windows: anyWindows,
    bytes: fc.integer({ min: 1, max: 2_000_000_000_000 }),
    rate: fc.integer({ min: 10_000, max: 100_000_000 }),
    spread: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(
    ({ nowMs, pausedMs, windows, bytes, rate, spread }): ForecastInput => ({
      nowMs,
      fromMs: nowMs + pausedMs,
      bytes,
      transfer: { windows: windows as UploadWindow[] },
      rate: steadyRate(rate, spread),
      usual: null,
    }),
  )

const orNever = (ms: number | null) => ms ?? Number.POSITIVE_INFINITY

describe('the forecast, for any input', () => {
  test('is never earlier than now or the end of a pause, and lies between its earliest and its latest time', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { doneAtMs, earliestMs, latestMs } = forecastUpload(input)
        expect(orNever(doneAtMs)).toBeGreaterThanOrEqual(Math.max(input.nowMs, input.fromMs))
        expect(orNever(earliestMs)).toBeLessThanOrEqual(orNever(doneAtMs) + 1)
        expect(orNever(latestMs)).toBeGreaterThanOrEqual(orNever(doneAtMs) - 1)
      }),
      { numRuns: runs(60) },
    )
  })

  test('is never sooner for more bytes, and never later for a faster line', () => {
    fc.assert(
      fc.property(anyInput, fc.integer({ min: 1, max: 1_000_000_000_000 }), (input, more) => {
        const doneAtMs = orNever(forecastUpload(input).doneAtMs)
        expect(
          orNever(forecastUpload({ ...input, bytes: input.bytes + more }).doneAtMs),
        ).toBeGreaterThanOrEqual(doneAtMs)
        const faster = steadyRate(input.rate.bytesPerSecondAt(0) * 2)
        expect(orNever(forecastUpload({ ...input, rate: faster }).doneAtMs)).toBeLessThanOrEqual(doneAtMs + 1)
      }),
      { numRuns: runs(40) },
    )
  })

  test('is inside the upload hours, and so is every open span, even when the clock changes', () => {
    fc.assert(
      fc.property(anyInput, ({ transfer, ...input }) => {
        const { doneAtMs } = forecastUpload({ transfer, ...input })
        const isOpen = (atMs: number) => allowanceAt(transfer, atMs).kind === 'open'
        // A time exactly at the start or end of the upload hours may count as inside or outside.
        if (doneAtMs !== null) expect(isOpen(doneAtMs - 1) || isOpen(doneAtMs)).toBe(true)
        for (const span of openSpans(transfer, input.nowMs, input.nowMs + 48 * HOUR_MS)) {
          expect(allowanceAt(transfer, span.fromMs).kind).toBe('open')
          expect(allowanceAt(transfer, span.toMs - 1).kind).toBe('open')
        }
      }),
      { numRuns: runs(40) },
    )
  })

  test('has open spans exactly in the upload hours', () => {
    fc.assert(
      fc.property(anyMoment, anyWindows, (fromMs, windows) => {
        const transfer = { windows: windows as UploadWindow[], limit_mbit_per_s: 7 }
        const spans = openSpans(transfer, fromMs, fromMs + 30 * HOUR_MS)
        for (let atMs = fromMs; atMs < fromMs + 30 * HOUR_MS; atMs += 13 * 60_000) {
          const span = spans.find((one) => one.fromMs <= atMs && atMs < one.toMs)
          const allowed = allowanceAt(transfer, atMs)
          expect(span?.limitMbitPerS ?? 'closed').toBe(
            allowed.kind === 'open' ? allowed.limitMbitPerS : 'closed',
          )
        }
      }),
      { numRuns: runs(15) },
    )
  })
})

describe('the sending rate', () => {
  const nights = (bytesPerSecond: (hour: number) => number, change: Partial<SentHour> = {}): SentHour[] =>
    Array.from({ length: 14 * 24 }, (_, ago) => {
      const atMs = localMs('2026-11-13T20:00:00') - (14 * 24 - ago) * HOUR_MS
      const rate = bytesPerSecond(new Date(atMs).getHours())
      return { atMs, bytes: rate * 3_600, seconds: 3_600, limitBytesPerSecond: null, ...change }
    })
  const nowMs = localMs('2026-11-13T20:00:00')
  const idleHour = { bytes: 0, seconds: 0, limitBytesPerSecond: null }

  test('is unknown without a measurement', () => {
    expect(sendingRate([], idleHour, nowMs)).toBeNull()
    expect(sendingRate([], { ...idleHour, seconds: 600 }, nowMs)).toBeNull()
  })

  test('is known after 20 s of sending', () => {
    const rate = sendingRate([], { ...idleHour, bytes: 20_000_000, seconds: 20 }, nowMs)
    expect(rate?.bytesPerSecondAt(nowMs)).toBe(1_000_000)
  })

  test('is the usual rate of each hour if nothing was sent recently', () => {
    const rate = sendingRate(
      nights((hour) => (hour < 6 ? 10_000_000 : 4_000_000)),
      idleHour,
      nowMs,
    )
    expect(rate?.bytesPerSecondAt(localMs('2026-11-14T03:00:00'))).toBeCloseTo(10_000_000)
    expect(rate?.bytesPerSecondAt(nowMs)).toBeCloseTo(4_000_000)
  })

  test('does not change because of one night without progress', () => {
    const hours = nights(() => 10_000_000)
    const isSlow = (index: number) => index > hours.length - 48 && index < hours.length - 24
    const withSlowNight = hours.map((hour, index) => (isSlow(index) ? { ...hour, bytes: 1 } : hour))
    expect(sendingRate(withSlowNight, idleHour, nowMs)?.bytesPerSecondAt(nowMs)).toBeCloseTo(10_000_000)
  })

  test('falls if the line is slow tonight, but falls less for later hours', () => {
    const slowHour = { ...idleHour, bytes: 1_800 * 5_000_000, seconds: 1_800 }
    // The last nine hours were outside the upload hours, so Sluice sent nothing.
    const earlierHours = nights(() => 10_000_000).slice(0, -9)
    const rate = sendingRate(earlierHours, slowHour, nowMs)
    const soonRate = rate?.bytesPerSecondAt(nowMs) ?? 0
    const laterRate = rate?.bytesPerSecondAt(nowMs + 12 * HOUR_MS) ?? 0
    expect(soonRate).toBeLessThan(6_500_000)
    expect(laterRate).toBeGreaterThan(soonRate)
    expect(laterRate).toBeLessThan(10_000_000)
  })

  test('ignores hours at the bandwidth limit if there are other hours, because the line may be faster', () => {
    const limited = nights(() => 5_000_000, { limitBytesPerSecond: 5_000_000 })
    const unlimited = nights(() => 20_000_000).slice(-3)
    expect(sendingRate([...limited, ...unlimited], idleHour, nowMs)?.bytesPerSecondAt(nowMs)).toBeCloseTo(
      20_000_000,
    )
    const atLimit = { bytes: 5_000_000 * 600, seconds: 600, limitBytesPerSecond: 5_000_000 }
    expect(sendingRate(unlimited, atLimit, nowMs)?.bytesPerSecondAt(nowMs)).toBeCloseTo(20_000_000)
  })
})
