import { describe, expect, test } from 'vitest'
import { answer, clientFor, errorAnswer, failureOf, httpServer, never } from './service-support.ts'

describe('limits and time', () => {
  test('a 429 holds back every request for its Retry-After', async () => {
    let count = 0
    const base = await httpServer((_request, response) => {
      count += 1
      if (count === 1) answer(response, 429, errorAnswer('slow'), { 'retry-after': '1' })
      else answer(response, 200, { data: [], has_more: false })
    })
    const client = clientFor(base)
    const start = performance.now()
    expect(failureOf(await client.listSessions({}, never()))).toMatchObject({ retryAfterMs: 1000 })
    expect((await client.listSessions({}, never())).ok).toBe(true)
    expect(performance.now() - start).toBeGreaterThan(990)
    const controller = new AbortController()
    controller.abort()
    expect(failureOf(await client.listSessions({}, controller.signal)).kind).toBe('cancelled')
  })

  test("tells the service's time although the PC's clock is days off", async () => {
    const base = await httpServer((_request, response) =>
      answer(response, 200, { data: [], has_more: false }),
    )
    const threeDays = 3 * 86_400_000
    const aMinute = 60_000
    const client = clientFor(base, {
      clock: { wallMs: () => Date.now() - threeDays, monotonicMs: () => performance.now() },
    })
    expect(client.clockOffsetMs()).toBeNull()
    await client.listSessions({}, never())
    expect(Math.abs(client.nowMs() - Date.now())).toBeLessThan(aMinute)
    expect(Math.abs((client.clockOffsetMs() ?? 0) - threeDays)).toBeLessThan(aMinute)
    client.reconnect()
    expect(Math.abs(client.nowMs() - Date.now())).toBeLessThan(aMinute)
  })
})
