import { describe, expect, it } from 'vitest'
import {
  formatAgo,
  formatBytes,
  formatDuration,
  formatEta,
  formatMoment,
  momentInSentence,
  plural,
} from '../../../../shared/words/format.ts'

describe('the words for numbers', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [999_499, '999 kB'],
    [999_600, '1.0 MB'],
    [84_200_000, '84.2 MB'],
    [1_234_000_000_000, '1.2 TB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words)
  })
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [840, '14 min'],
    [7_500, '2 h 5 min'],
    [90_000, '1 d 1 h'],
  ])('%i seconds are %s', (seconds, words) => {
    expect(formatDuration(seconds)).toBe(words)
  })
  it('do not change the remaining time every second', () => {
    const words = Array.from({ length: 50 }, (_, second) => formatEta(840 - second))
    expect(new Set(words)).toEqual(new Set(['15 min left']))
  })
  it('have the right singular or plural', () => {
    expect([plural(1, 'recording'), plural(12_000, 'recording')]).toEqual([
      '1 recording',
      '12,000 recordings',
    ])
    expect(formatAgo('2026-03-12T07:00:00Z', Date.parse('2026-03-12T07:03:00Z'))).toBe('3 min ago')
  })
})

describe('a moment', () => {
  const now = new Date(2026, 9, 25, 12, 0).getTime()
  it.each([
    [new Date(2026, 9, 25, 6, 5), 'Today 06:05'],
    [new Date(2026, 9, 24, 18, 0), 'Yesterday 18:00'],
    [new Date(2026, 9, 26, 6, 0), 'Tomorrow 06:00'],
    [new Date(2026, 10, 2, 6, 0), '2 Nov 06:00'],
    [new Date(2025, 10, 2, 6, 0), '2 Nov 2025 06:00'],
  ])('%s is shown as %s', (at, words) => {
    expect(formatMoment(at.toISOString(), now)).toBe(words)
  })
  it('in the middle of a sentence, has a capital letter only in the name of a month', () => {
    expect(momentInSentence(new Date(2026, 10, 2, 6).toISOString(), now)).toBe('2 Nov 06:00')
    expect(momentInSentence(new Date(2026, 9, 26, 6).toISOString(), now)).toBe('tomorrow 06:00')
  })
})
