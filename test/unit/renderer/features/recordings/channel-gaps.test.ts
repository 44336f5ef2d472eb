import { expect, test } from 'vitest'
import { filledStretches } from '../../../../../renderer/features/recordings/channel-gaps.ts'

test('the bar of a channel that stops halfway ends at that point', () => {
  expect(filledStretches({ timeline: [5, 5, 5, 0, 0, 0], rateHz: 5 }, 6)).toEqual([{ from: 0, to: 3 }])
})

test('a gap in the middle splits the bar', () => {
  expect(filledStretches({ timeline: [5, 0, 0, 5], rateHz: 5 }, 4)).toEqual([
    { from: 0, to: 1 },
    { from: 3, to: 4 },
  ])
})

test('a slow channel without a gap is one bar', () => {
  expect(filledStretches({ timeline: [1, 0, 1, 0, 0, 1, 0], rateHz: 0.5 }, 7)).toEqual([{ from: 0, to: 7 }])
})

test('a channel without messages has no bar', () => {
  expect(filledStretches({ timeline: [0, 0], rateHz: null }, 2)).toEqual([])
  expect(filledStretches({ rateHz: null }, 2)).toEqual([])
})
