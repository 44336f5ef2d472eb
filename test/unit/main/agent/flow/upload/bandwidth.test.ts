import { expect, test } from 'vitest'
import { Bandwidth } from '../../../../../../main/agent/flow/upload/bandwidth.ts'

const MBIT_BYTES = 125_000
const neverAborted = new AbortController().signal

/** Time passes only in `sleep` and `advance`, so all figures are exact. */
const startBandwidth = (initial: number | null) => {
  let nowMs = 0
  let limit = initial
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs }
  const sleep = async (ms: number) => {
    nowMs += ms
  }
  return {
    bandwidth: new Bandwidth(clock, () => limit, sleep),
    now: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms
    },
    setLimit: (next: number | null) => {
      limit = next
    },
  }
}

test('does not wait without a limit', async () => {
  const { bandwidth, now } = startBandwidth(null)
  for (let n = 0; n < 100; n += 1) await bandwidth.take(1_000_000, neverAborted)
  expect(now()).toBe(0)
})

test('keeps to the limit over time, for any chunk size', async () => {
  for (const chunk of [1_000, 65_536, 1_048_576]) {
    const { bandwidth, now } = startBandwidth(8)
    const total = 32 * 1_048_576
    for (let sentBytes = 0; sentBytes < total; sentBytes += chunk) await bandwidth.take(chunk, neverAborted)
    const seconds = now() / 1000
    expect(total / seconds / MBIT_BYTES).toBeGreaterThan(7.5)
    expect((total - chunk) / seconds / MBIT_BYTES).toBeLessThanOrEqual(8.01)
  }
})

test('after idle time, immediately sends at most the bytes of half a second', async () => {
  const { bandwidth, now, advance } = startBandwidth(8)
  advance(3_600_000)
  const startedAtMs = now()
  for (let n = 0; n < 20; n += 1) await bandwidth.take(MBIT_BYTES, neverAborted)
  // 20 Mbit at 8 Mbit/s take 2.5 s. Half a second was saved up, and one chunk may exceed the budget.
  expect(now() - startedAtMs).toBeGreaterThanOrEqual(1_800)
})

test('a caller that waits continues within 250 ms after the limit is removed', async () => {
  const { bandwidth, now, setLimit } = startBandwidth(0.001)
  await bandwidth.take(1_048_576, neverAborted)
  const blockedTake = bandwidth.take(1_048_576, neverAborted)
  setLimit(null)
  await blockedTake
  expect(now()).toBeLessThanOrEqual(250)
})

test('a cancelled caller returns at once', async () => {
  const { bandwidth, now } = startBandwidth(1)
  await bandwidth.take(10 * MBIT_BYTES, neverAborted)
  const cancelled = new AbortController()
  cancelled.abort()
  await bandwidth.take(MBIT_BYTES, cancelled.signal)
  expect(now()).toBe(0)
})

test('several callers share one limit, first come, first served', async () => {
  const { bandwidth, now } = startBandwidth(8)
  const order: number[] = []
  await Promise.all(
    [0, 1, 2, 3].map(async (caller) => {
      await bandwidth.take(8 * MBIT_BYTES, neverAborted)
      order.push(caller)
    }),
  )
  expect(order).toEqual([0, 1, 2, 3])
  // The first caller continues at once, each next caller a second later.
  expect(Math.round(now() / 1000)).toBe(3)
})

test('an error reaches only its own caller', async () => {
  const clock = { wallMs: () => 0, monotonicMs: () => 0 }
  let isBroken = true
  const bandwidth = new Bandwidth(
    clock,
    () => {
      if (isBroken) throw new Error('no settings')
      return null
    },
    async () => {},
  )
  const firstTake = bandwidth.take(1, neverAborted)
  await expect(firstTake).rejects.toThrow('no settings')
  isBroken = false
  await expect(bandwidth.take(1, neverAborted)).resolves.toBeUndefined()
})
