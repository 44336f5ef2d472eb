import { expect, test } from 'vitest'
import { Bandwidth } from '../../../../../../main/agent/flow/upload/bandwidth.ts'

const MBIT_BYTES = 125_000
const never = new AbortController().signal

/** Time passes only in `sleep`, so all figures are exact. */
const fixture = (initial: number | null) => {
  let nowMs = 0
  let limit = initial
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs }
  const sleep = async (ms: number) => {
    nowMs += ms
  }
  return {
    bandwidth: new Bandwidth(clock, () => limit, sleep),
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms
    },
    setLimit: (next: number | null) => {
      limit = next
    },
  }
}

test('does not wait without a limit', async () => {
  const { bandwidth, now } = fixture(null)
  for (let n = 0; n < 100; n += 1) await bandwidth.take(1_000_000, never)
  expect(now()).toBe(0)
})

test('keeps exactly to the limit over time, for any chunk size', async () => {
  for (const chunk of [1_000, 65_536, 1_048_576]) {
    const { bandwidth, now } = fixture(8)
    const total = 32 * 1_048_576
    for (let sent = 0; sent < total; sent += chunk) await bandwidth.take(chunk, never)
    const seconds = now() / 1000
    expect(total / seconds / MBIT_BYTES).toBeGreaterThan(7.5)
    expect((total - chunk) / seconds / MBIT_BYTES).toBeLessThanOrEqual(8.01)
  }
})

test('after idle time, sends at most half a second of bytes at once', async () => {
  const { bandwidth, now, pass } = fixture(8)
  pass(3_600_000)
  const startedAtMs = now()
  for (let n = 0; n < 20; n += 1) await bandwidth.take(MBIT_BYTES, never)
  // 20 Mbit at 8 Mbit/s take 2.5 s, minus the saved half second and one chunk, which may exceed the budget.
  expect(now() - startedAtMs).toBeGreaterThanOrEqual(1_800)
})

test('removing the limit releases a waiter within 250 ms', async () => {
  const { bandwidth, now, setLimit } = fixture(0.001)
  await bandwidth.take(1_048_576, never)
  const waiting = bandwidth.take(1_048_576, never)
  setLimit(null)
  await waiting
  expect(now()).toBeLessThanOrEqual(250)
})

test('a cancelled waiter does not delay the next one', async () => {
  const { bandwidth, now } = fixture(1)
  await bandwidth.take(10 * MBIT_BYTES, never)
  const cancelled = new AbortController()
  cancelled.abort()
  await bandwidth.take(MBIT_BYTES, cancelled.signal)
  expect(now()).toBe(0)
})

test('several callers share one limit, first come, first served', async () => {
  const { bandwidth, now } = fixture(8)
  const order: number[] = []
  await Promise.all(
    [0, 1, 2, 3].map(async (who) => {
      await bandwidth.take(8 * MBIT_BYTES, never)
      order.push(who)
    }),
  )
  expect(order).toEqual([0, 1, 2, 3])
  // The first goes at once, each of the others a second later.
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
  const met = bandwidth.take(1, never)
  await expect(met).rejects.toThrow('no settings')
  isBroken = false
  await expect(bandwidth.take(1, never)).resolves.toBeUndefined()
})
