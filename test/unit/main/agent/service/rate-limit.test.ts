import { describe, expect, test } from 'vitest'
import { rateLimitOf, retryAfterMsOf } from '../../../../../main/agent/service/answer-headers.ts'
import { createRateLimit, type Sleep } from '../../../../../main/agent/service/rate-limit.ts'

/** A clock that moves only on request. The sleepers that are due wake in the order in which they fell asleep. */
const createFakeTime = () => {
  let nowMs = 1_000_000
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      const sleeper = { at: nowMs + ms, wake: resolve }
      sleepers.add(sleeper)
      signal.addEventListener('abort', () => {
        sleepers.delete(sleeper)
        reject(signal.reason)
      })
    })
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const advance = async (ms: number) => {
    nowMs += ms
    for (const sleeper of sleepers) {
      if (sleeper.at > nowMs) continue
      sleepers.delete(sleeper)
      sleeper.wake()
    }
    await settle()
  }
  return { clock: { wallMs: () => nowMs, monotonicMs: () => nowMs }, sleep, advance, settle }
}

const NO_WAIT_LIMIT = Number.POSITIVE_INFINITY
const neverAborted = new AbortController().signal

const createLimit = () => {
  const time = createFakeTime()
  const limit = createRateLimit({ clock: time.clock, random: () => 0, sleep: time.sleep })
  let started = 0
  const start = () =>
    limit.acquire(neverAborted, NO_WAIT_LIMIT).then(() => {
      started += 1
    })
  return { ...time, limit, start, started: () => started }
}

describe('rate limit', () => {
  test('limits nothing until the service sends a limit', async () => {
    const { start, settle, started } = createLimit()
    for (let i = 0; i < 100; i++) void start()
    await settle()
    expect(started()).toBe(100)
  })

  test('waits when the limit is used up, and continues at the reset', async () => {
    const { limit, start, settle, advance, started } = createLimit()
    await start()
    limit.observe({ limit: 3, remaining: 2, resetInMs: 5000 })
    limit.release()
    for (let i = 0; i < 5; i++) void start()
    await settle()
    expect(started()).toBe(3)
    await advance(4999)
    expect(started()).toBe(3)
    await advance(1)
    expect(started()).toBe(6)
  })

  test('stops all requests during a pause, and the longest pause counts', async () => {
    const { limit, start, advance, started } = createLimit()
    limit.pause(3000)
    limit.pause(1000)
    void start()
    void start()
    await advance(2999)
    expect(started()).toBe(0)
    await advance(1)
    expect(started()).toBe(2)
  })

  test('subtracts running requests from the remaining limit', async () => {
    const { limit, start, settle, started } = createLimit()
    for (let i = 0; i < 3; i++) void start()
    await settle()
    limit.observe({ limit: 10, remaining: 3, resetInMs: 60_000 })
    limit.release()
    for (let i = 0; i < 5; i++) void start()
    await settle()
    expect(started()).toBe(4)
  })

  test('continues when a later answer allows more', async () => {
    const { limit, start, settle, started } = createLimit()
    await start()
    await start()
    limit.observe({ limit: 10, remaining: 0, resetInMs: 60_000 })
    limit.release()
    void start()
    await settle()
    expect(started()).toBe(2)
    limit.observe({ limit: 10, remaining: 5, resetInMs: 60_000 })
    limit.release()
    await settle()
    expect(started()).toBe(3)
  })

  test('keeps a pause of an hour, and shortens a pause of years to a day', async () => {
    const { limit } = createLimit()
    limit.pause(3_600_000)
    expect(await limit.acquire(neverAborted, 5_000)).toEqual({ kind: 'too-long', waitMs: 3_600_000 })
    limit.pause(1e12)
    expect(await limit.acquire(neverAborted, 5_000)).toEqual({ kind: 'too-long', waitMs: 24 * 3_600_000 })
  })

  test('a request whose wait becomes longer than its caller allows fails, and uses no turn', async () => {
    const { limit, start, advance, started } = createLimit()
    await start()
    limit.observe({ limit: 1, remaining: 0, resetInMs: 2_000 })
    const acquisition = limit.acquire(neverAborted, 5_000)
    limit.pause(86_400_000)
    limit.release()
    expect(await acquisition).toEqual({ kind: 'too-long', waitMs: 86_400_000 })
    // The failed request used no turn, so another request can start when the pause of one day ends.
    void start()
    await advance(86_400_000)
    expect(started()).toBe(2)
  })

  test('gives a waiting request its turn, even if other answers wake it earlier', async () => {
    const { limit, start, settle, advance } = createLimit()
    await start()
    limit.observe({ limit: 1, remaining: 0, resetInMs: 5_000 })
    const acquisition = limit.acquire(neverAborted, 5_000)
    await advance(1_000)
    limit.release()
    await settle()
    await advance(4_000)
    expect(await acquisition).toEqual({ kind: 'taken' })
  })

  test('lets a request wait for the answer to a running request, however short a wait the caller allows', async () => {
    const { limit, start, settle, advance } = createLimit()
    await start()
    limit.observe({ limit: 1, remaining: 0, resetInMs: 1_000 })
    await advance(1_000)
    await start()
    const acquisition = limit.acquire(neverAborted, 5_000)
    await settle()
    limit.observe({ limit: 1, remaining: 2, resetInMs: 60_000 })
    limit.release()
    expect(await acquisition).toEqual({ kind: 'taken' })
  })

  test('rejects all waiting and later calls after `end`', async () => {
    const { limit } = createLimit()
    limit.pause(1_000)
    const acquisitions = [1, 2].map(() => limit.acquire(neverAborted, NO_WAIT_LIMIT))
    limit.end()
    for (const each of acquisitions) await expect(each).rejects.toThrow()
    await expect(limit.acquire(neverAborted, NO_WAIT_LIMIT)).rejects.toThrow()
  })

  test('ends a wait when its signal aborts', async () => {
    const { limit } = createLimit()
    limit.pause(1000)
    const controller = new AbortController()
    const acquisition = limit.acquire(controller.signal, NO_WAIT_LIMIT)
    controller.abort()
    await expect(acquisition).rejects.toThrow()
  })
})

describe('the headers of an answer', () => {
  const nowMs = Date.UTC(2030, 0, 1)
  test.each([
    ['7', 7000],
    ['0', 0],
    ['Tue, 01 Jan 2030 00:00:09 GMT', 9000],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    ['later', null],
    ['-3', null],
  ])('Retry-After %s means %s ms', (value, expected) => {
    expect(retryAfterMsOf({ 'retry-after': value }, nowMs)).toBe(expected)
  })

  test.each([
    ['30', 30_000],
    [String(nowMs / 1000 + 30), 30_000],
    [String(nowMs / 1000 - 30), 0],
  ])('RateLimit-Reset %s, as seconds from now or as a Unix time, means %i ms', (reset, resetInMs) => {
    const headers = { 'ratelimit-limit': '100', 'ratelimit-remaining': '7', 'ratelimit-reset': reset }
    expect(rateLimitOf(headers, nowMs)).toEqual({ limit: 100, remaining: 7, resetInMs })
  })

  test('are ignored if they are invalid or missing', () => {
    expect(rateLimitOf({ 'ratelimit-remaining': 'some', 'ratelimit-reset': '1' }, nowMs)).toBeNull()
    expect(rateLimitOf({}, nowMs)).toBeNull()
  })
})
