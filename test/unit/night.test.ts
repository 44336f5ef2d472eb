import { expect, test } from 'vitest'
import { nightName, nightOf } from '../../shared/night.ts'

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime()

test('a night belongs to the day it begins on, from noon to noon', () => {
  expect(nightOf(at(13, 12)).day).toBe('2026-11-13')
  expect(nightOf(at(13, 23, 59)).day).toBe('2026-11-13')
  expect(nightOf(at(14, 11, 59)).day).toBe('2026-11-13')
  expect(nightOf(at(14, 12)).day).toBe('2026-11-14')
  expect(nightOf(at(1, 3)).day).toBe('2026-10-31')
})

test('each moment is in the night that it is given, also when the clocks change', () => {
  for (let atMs = new Date(2026, 2, 20).getTime(); atMs < new Date(2026, 3, 5).getTime(); atMs += 1_800_000) {
    const night = nightOf(atMs)
    expect(atMs >= night.fromMs && atMs < night.toMs).toBe(true)
    expect(nightOf(night.toMs).fromMs).toBe(night.toMs)
    expect(nightOf(night.fromMs).day).toBe(night.day)
  }
})

test.each([
  ['in the evening', at(13, 20), 'Tonight', 'Last night'],
  ['after midnight', at(14, 3), 'Tonight', 'Last night'],
  ['in the morning', at(14, 7), 'Last night', 'Thu 12 Nov'],
  ['days later', at(20, 9), 'Fri 13 Nov', 'Thu 12 Nov'],
  ['a year later', new Date(2027, 10, 20, 9).getTime(), 'Fri 13 Nov 2026', 'Thu 12 Nov 2026'],
])('it is called as people would call it %s', (_when, nowMs, name, before) => {
  expect(nightName('2026-11-13', nowMs)).toBe(name)
  expect(nightName('2026-11-12', nowMs)).toBe(before)
})
