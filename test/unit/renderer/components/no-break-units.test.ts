import { expect, test } from 'vitest'
import { noBreakFacts } from '../../../../renderer/components/no-break-units.ts'

test('a short fact stays on one line, a number stays with its noun, and no line begins with a dot', () => {
  const facts = noBreakFacts(
    '1 recording needs you · 0 of 10 known recordings safe · Paused by you since 18:50 until you resume, 9 waiting',
  )
  expect(facts.replaceAll('\u00a0', '_')).toBe(
    '1_recording_needs_you_· 0_of_10_known_recordings_safe_· Paused by you since 18:50 until you resume, 9_waiting',
  )
})
