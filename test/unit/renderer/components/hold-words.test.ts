import { describe, expect, it } from 'vitest'
import { nextCheckSentence } from '../../../../renderer/components/hold-words.ts'

describe('the words for the next check of a hold', () => {
  const now = new Date(2026, 2, 12, 14, 0).getTime()
  it.each([
    [new Date(2026, 2, 12, 14, 0, 40), 'Sluice checks again in a moment.'],
    [new Date(2026, 2, 12, 14, 5), 'Sluice checks again at 14:05.'],
    [new Date(2026, 2, 13, 2, 0), 'Sluice checks again tomorrow 02:00.'],
    [new Date(2026, 2, 12, 13, 59), 'Sluice is checking again now.'],
  ])('at %s: %s', (at, sentence) => {
    expect(nextCheckSentence(at.toISOString(), now)).toBe(sentence)
  })
})
