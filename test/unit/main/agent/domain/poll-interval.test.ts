import { describe, expect, test } from 'vitest'
import { eventsArrive, pollIntervalMs } from '../../../../../main/agent/domain/poll-interval.ts'

const MINUTE_MS = 60_000
const NOW_MS = Date.parse('2026-11-15T18:00:00Z')

describe('whether Sluice relies on events', () => {
  test.each([
    ['yes: an event came a minute ago', { listening: true, last: 1, missed: null }, true],
    ['no: no event came yet', { listening: true, last: null, missed: null }, false],
    ['no: the receiver no longer listens', { listening: false, last: 1, missed: null }, false],
    ['no: the last event came an hour ago', { listening: true, last: 60, missed: null }, false],
    [
      'yes: the last event came a little less than an hour ago',
      { listening: true, last: 59, missed: null },
      true,
    ],
    [
      'no: after the last event, a session ended without its event',
      { listening: true, last: 10, missed: 5 },
      false,
    ],
    ['yes: an event came after a missed one', { listening: true, last: 5, missed: 10 }, true],
    [
      'no: the last event is in the future, because the clock was set back',
      { listening: true, last: -5, missed: null },
      false,
    ],
  ])('%s', (_, { listening, last, missed }, expected) => {
    const minutesAgoMs = (minutes: number | null) => (minutes === null ? null : NOW_MS - minutes * MINUTE_MS)
    const events = {
      isListening: listening,
      lastEventAtMs: minutesAgoMs(last),
      lastMissedAtMs: minutesAgoMs(missed),
    }
    expect(eventsArrive(events, NOW_MS)).toBe(expected)
  })
})

describe('polling', () => {
  test.each([
    [0, 15, 15_000, 90_000],
    [1, 15, 22_500, 135_000],
    [8, 15, 300_000, 1_800_000],
    [100, 15, 300_000, 1_800_000],
    [0, 3600, 3_600_000, 3_600_000],
    [0, 0.1, 100, 600],
  ])(
    'after %i polls, with a base interval of %d s, waits %i ms, or %i ms while events arrive',
    (polls, base, withoutEvents, withEvents) => {
      expect(pollIntervalMs(polls, base)).toBe(withoutEvents)
      expect(pollIntervalMs(polls, base, true)).toBe(withEvents)
    },
  )

  test('never becomes more frequent when events arrive', () => {
    for (const base of [0.1, 1, 15, 60, 3600])
      for (let polls = 0; polls < 30; polls += 1)
        expect(pollIntervalMs(polls, base, true)).toBeGreaterThanOrEqual(pollIntervalMs(polls, base))
  })
})
