import { expect, test } from 'vitest'
import { noBreakFact } from '../../../../renderer/components/no-break-units.ts'

test.each([
  ['1 recording needs you', '1_recording_needs_you'],
  ['0 of 10 known recordings safe', '0_of_10_known_recordings_safe'],
  [
    'Paused by you since 18:50 until you resume, 9 waiting',
    'Paused by you since 18:50 until you resume, 9_waiting',
  ],
])('a short text has no line break, and no line ends between a number and its noun: %s', (fact, expected) => {
  expect(noBreakFact(fact).replaceAll('\u00a0', '_')).toBe(expected)
})
