import { expect, test } from 'vitest'
import { nightAt, nightWord } from '../../../../shared/status/nights.ts'

const msAt = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime()

test('a night lasts from 18:00 to 18:00, and belongs to the day on which it begins', () => {
  expect(nightAt(msAt(13, 18)).name).toBe('2026-11-13')
  expect(nightAt(msAt(13, 23, 59)).name).toBe('2026-11-13')
  expect(nightAt(msAt(14, 17, 59)).name).toBe('2026-11-13')
  expect(nightAt(msAt(14, 18)).name).toBe('2026-11-14')
  expect(nightAt(msAt(1, 3)).name).toBe('2026-10-31')
})

test('every time is inside its night, even when the clocks change', () => {
  for (let atMs = new Date(2026, 2, 20).getTime(); atMs < new Date(2026, 3, 5).getTime(); atMs += 1_800_000) {
    const night = nightAt(atMs)
    expect(atMs >= night.startMs && atMs < night.endMs).toBe(true)
    expect(nightAt(night.endMs).startMs).toBe(night.endMs)
    expect(nightAt(night.startMs).name).toBe(night.name)
  }
})

test.each([
  ['in the evening', msAt(13, 20), 'Tonight', 'Last night'],
  ['after midnight', msAt(14, 3), 'Tonight', 'Last night'],
  ['in the morning', msAt(14, 7), 'Last night', 'Thu 12 Nov'],
  ['in the afternoon', msAt(14, 17), 'Last night', 'Thu 12 Nov'],
  ['days later', msAt(20, 9), 'Fri 13 Nov', 'Thu 12 Nov'],
  ['a year later', new Date(2027, 10, 20, 9).getTime(), 'Fri 13 Nov 2026', 'Thu 12 Nov 2026'],
])('a night has its everyday name %s', (_, nowMs, name, nameOfNightBefore) => {
  expect(nightWord('2026-11-13', nowMs)).toBe(name)
  expect(nightWord('2026-11-12', nowMs)).toBe(nameOfNightBefore)
})
