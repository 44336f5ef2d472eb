import { expect, test } from 'vitest'
import { findDeviations } from '../../../../../main/agent/domain/find-deviations.ts'
import { learnExpectation } from '../../../../../main/agent/domain/learn-expectation.ts'
import { takeExpectationSchema } from '../../../../../shared/settings/take-expectation.ts'
import type { InspectedChannel, Inspection } from '../../../../../shared/status/inspection.ts'

const take = (durationS: number, rates: Readonly<Record<string, number>>): Inspection => ({
  format: 'mcap',
  completeness: 'complete',
  startedAtMs: 0,
  endedAtMs: durationS * 1000,
  durationS,
  channels: Object.entries(rates).map(([name, rateHz]) => ({
    name,
    type: null,
    messages: Math.round(rateHz * durationS),
    rateHz: rateHz === 0 ? null : rateHz,
    largestGapS: rateHz === 0 ? null : 2 / rateHz,
  })),
  warnings: [],
})

const learn = (inspections: readonly Inspection[]) => learnExpectation(inspections).expect

const usualTakes = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    take(60 + (n % 7), { '/imu': 200 - n, '/camera': 30, '/clock': 0.5 }),
  )

test('learns channels, rates, gaps and duration, with a margin', () => {
  const expectation = learn(usualTakes(10))
  expect(expectation).toEqual({
    format: 'mcap',
    channels: [
      { name: '/imu', min_rate_hz: 150, max_gap_seconds: 1 },
      { name: '/camera', min_rate_hz: 24, max_gap_seconds: 1 },
      { name: '/clock', min_rate_hz: 0.4, max_gap_seconds: 8 },
    ],
    min_seconds: 48,
    max_seconds: 82,
  })
  expect(takeExpectationSchema.safeParse(expectation).success).toBe(true)
})

test('expects varying pictures only if the earlier pictures varied', () => {
  const learnedWith = (signal: InspectedChannel['signal']) =>
    learn(
      usualTakes(10).map((each) => ({
        ...each,
        channels: each.channels.map((channel) => ({ ...channel, ...(signal && { signal }) })),
      })),
    )?.channels.map(({ not_constant }) => not_constant)
  expect(learnedWith('varies')).toEqual([true, true, true])
  expect(learnedWith('black')).toEqual([undefined, undefined, undefined])
  expect(learnedWith(undefined)).toEqual([undefined, undefined, undefined])
})

test('the learned expectation reports none of the recordings that it was learned from', () => {
  const recordings = usualTakes(30)
  const expectation = learn(recordings)!
  expect(recordings.flatMap((each) => findDeviations(each, expectation))).toEqual([])
})

test('a single bad recording does not loosen the expectation, and deviates from it', () => {
  const badTake = take(3, { '/imu': 5, '/camera': 0 })
  const recordings = [...usualTakes(18), badTake]
  const expectation = learn(recordings)!
  expect(expectation).toMatchObject({ min_seconds: 48 })
  expect(findDeviations(badTake, expectation)).toEqual([
    '/imu has 5 Hz on average, expected at least 140 Hz.',
    '/camera has no messages, expected at least 24 Hz.',
    '/clock is missing.',
    'The recording is 45 s shorter than expected.',
  ])
})

test('ignores a channel that is often missing, and recordings of a different format', () => {
  const takesWithoutImu = usualTakes(10).map((each, n) =>
    n % 2 === 0 ? { ...each, channels: each.channels.slice(1) } : each,
  )
  const sidecars: Inspection[] = usualTakes(4).map((each) => ({ ...each, format: 'csv' }))
  const expectation = learn([...takesWithoutImu, ...sidecars])
  expect(expectation?.channels.map(({ name }) => name)).toEqual(['/camera', '/clock'])
  expect(expectation?.format).toBe('mcap')
})

test('needs at least five recordings that are not cut off', () => {
  expect(learn(usualTakes(4))).toBeNull()
  expect(learn(usualTakes(6).map((each) => ({ ...each, completeness: 'cut-off' })))).toBeNull()
  expect(learn([])).toBeNull()
})
