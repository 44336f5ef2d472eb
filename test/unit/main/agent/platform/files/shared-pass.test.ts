import { beforeEach, expect, test } from 'vitest'
import { sharePasses } from '../../../../../../main/agent/platform/files/shared-pass.ts'

let nowMs: number
let passes: number
let finish: (pass: number) => void
let share: (notBeforeMs?: number) => Promise<number>
beforeEach(() => {
  nowMs = 0
  passes = 0
  share = sharePasses({ monotonicMs: () => nowMs }, () => {
    passes += 1
    return new Promise((resolve) => {
      finish = resolve
    })
  })
})

test('callers share the result of a pass for a second', async () => {
  const first = share()
  finish(1)
  expect(await first).toBe(1)
  nowMs = 999
  expect(await share()).toBe(1)
  nowMs = 1_000
  void share()
  expect(passes).toBe(2)
})

test('callers join a pass that has run for longer than a second', () => {
  void share()
  nowMs = 3_000
  void share()
  expect(passes).toBe(1)
})

test.each([1_500, 3_000, 60_000])('if a pass takes %i ms, 2,000 files need few passes', async (passMs) => {
  const startedAtMs = nowMs
  void share()
  for (let file = 0; file < 2_000; file += 8) {
    nowMs += 10
    const passesBefore = passes
    const result = share()
    if (passes > passesBefore || file === 0) {
      nowMs += passMs
      finish(passes)
    }
    await result
  }
  expect(passes).toBeLessThanOrEqual(3)
  expect(nowMs - startedAtMs).toBeLessThan(4 * passMs + 3_000)
})

test('a caller shares a pass only if the pass started late enough for this caller', async () => {
  nowMs = 1_000
  const first = share()
  nowMs = 6_000
  void share(1_000)
  finish(1)
  expect(await first).toBe(1)
  void share(1_000)
  expect(passes).toBe(1)
  void share(1_001)
  expect(passes).toBe(2)
})

test('a caller that needs a new pass gets one', () => {
  void share()
  void share(Number.POSITIVE_INFINITY)
  expect(passes).toBe(2)
})
