import { expect, test } from 'vitest'
import { openTempJournal } from '../../../../support/temp-journal.ts'

const MINUTE_MS = 60_000

test('the throughput curve counts every sent byte in its interval of ten minutes', () => {
  const clock = { nowMs: Date.UTC(2026, 2, 12, 7, 48, 33) }
  const { journal, close } = openTempJournal(() => clock.nowMs)
  try {
    const endMs = clock.nowMs
    for (const [minutesAgo, bytes] of [
      [23 * 60, 1],
      [61, 10],
      [12, 100],
      [7.3, 1_000],
      [2.1, 10_000],
      [0, 100_000],
    ] as const) {
      clock.nowMs = Math.round(endMs - minutesAgo * MINUTE_MS)
      journal.rates.countBytes(bytes)
    }
    clock.nowMs = endMs
    const day = journal.rates.throughput('24h')
    expect(day.endsAt).toBe('2026-03-12T07:50:00.000Z')
    expect(day.bytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(111_111)
    expect(day.bytes.slice(-2)).toEqual([100, 111_000])
    expect(day.bytes.at(-7)).toBe(10)
    const recent = journal.rates.throughput('10m')
    expect(recent.bytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(111_000)
  } finally {
    close()
  }
})
