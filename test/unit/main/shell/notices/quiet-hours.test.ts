import { describe, expect, it } from 'vitest'
import { isQuiet } from '../../../../../main/shell/notices/quiet-hours.ts'
import { night } from './notice-story.ts'

describe('quiet hours', () => {
  it.each([
    ['22:00', '07:00', 23, true],
    ['22:00', '07:00', 3, true],
    ['22:00', '07:00', 7, false],
    ['22:00', '07:00', 12, false],
    ['12:00', '13:00', 12, true],
    ['12:00', '13:00', 13, false],
    ['12:00', '24:00', 23, true],
  ])('from %s to %s apply at %i:00: %s', (from, to, hour, expected) => {
    expect(isQuiet({ from, to }, new Date(2026, 2, 12, hour, 0))).toBe(expected)
  })

  it('are off by default', () => {
    expect(isQuiet(undefined, night)).toBe(false)
  })
})
