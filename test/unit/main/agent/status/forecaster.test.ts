import { expect, test } from 'vitest'
import { Forecaster } from '../../../../../main/agent/status/forecaster.ts'
import { Progress } from '../../../../../main/agent/status/progress.ts'
import { holdJournal } from '../../../../support/hold-journal.ts'
import { openTempJournal } from '../../../../support/temp-journal.ts'

test('the measured speed stays correct if the journal is locked for a minute', async () => {
  let nowMs = 1_000_000
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs }
  const { journal, folder, close } = openTempJournal(clock.wallMs)
  const progress = new Progress(clock)
  const forecaster = new Forecaster({
    journal,
    station: { code: () => null, limitMbitPerS: null, mayStartPart: () => true } as never,
    progress,
    clock,
    drives: { of: async () => null },
    settings: () => null,
    isWatching: () => false,
    bytesSafeIn: () => null,
    guard: (_, work) => work(),
  })
  let sentBytes = 0
  const upload = (seconds: number) => {
    let refused = 0
    for (let second = 0; second < seconds; second += 1) {
      nowMs += 1_000
      sentBytes += 1_000
      progress.sending(1, 1, sentBytes)
      try {
        forecaster.tick()
      } catch {
        refused += 1
      }
    }
    return refused
  }
  expect(upload(10)).toBe(0)
  const lock = await holdJournal(folder)
  expect(upload(60)).toBe(60)
  await lock.release()
  expect(upload(10)).toBe(0)
  expect(journal.rates.sentHours()).toMatchObject([{ bytes: 80_000, seconds: 80 }])
  close()
})
