import { once } from 'node:events'
import type http from 'node:http'
import { describe, expect, test } from 'vitest'
import type { ServiceClient } from '../../main/agent/ports/service.ts'
import { answer, clientFor, errorAnswer, failureOf, httpServer, never } from './service-support.ts'

describe('the client of the service', () => {
  test('delays every request by the Retry-After of a 429', async () => {
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

  /** The clock stands still, so a waiting request never gets its turn. */
  const stoppedClock = { wallMs: () => 0, monotonicMs: () => 0 }
  const LIST = { data: [], has_more: false }

  test('fails a waiting request if a Retry-After extends its wait to a day', async () => {
    const heldRequests = new EventTarget()
    const base = await httpServer((request, response) => {
      if (request.url?.includes('held') === true)
        heldRequests.dispatchEvent(new CustomEvent('arrived', { detail: response }))
      else
        answer(response, 200, LIST, {
          'ratelimit-limit': '100',
          'ratelimit-remaining': '0',
          'ratelimit-reset': '2',
        })
    })
    const client = clientFor(base, { clock: stoppedClock })
    const requestArrived = once(heldRequests, 'arrived')
    const firstRequest = client.listSessions({ site: 'held' }, never())
    const [event] = (await requestArrived) as [CustomEvent<http.ServerResponse>]
    expect((await client.listSessions({}, never())).ok).toBe(true)
    const waitingRequest = client.listSessions({}, never())
    answer(event.detail, 429, errorAnswer('slow'), { 'retry-after': '86400' })
    expect(failureOf(await firstRequest)).toMatchObject({ kind: 'rate-limited', retryAfterMs: 86_400_000 })
    expect(failureOf(await waitingRequest)).toMatchObject({ kind: 'rate-limited', retryAfterMs: 86_400_000 })
  })

  test.each([
    ['a new key or address', (client: ServiceClient) => client.close()],
    ['the end of its stage', (_: ServiceClient, stage: AbortController) => stage.abort()],
  ])('ends a waiting request at once after %s', async (_, end) => {
    const base = await httpServer((_request, response) =>
      answer(response, 429, errorAnswer('slow'), { 'retry-after': '3' }),
    )
    const client = clientFor(base, { clock: stoppedClock })
    expect(failureOf(await client.listSessions({}, never())).kind).toBe('rate-limited')
    const stage = new AbortController()
    const waitingRequest = client.listSessions({}, stage.signal)
    await end(client, stage)
    expect(failureOf(await waitingRequest).kind).toBe('cancelled')
  })

  test("computes the service's time although the PC's clock is days off", async () => {
    const base = await httpServer((_request, response) =>
      answer(response, 200, { data: [], has_more: false }),
    )
    const threeDaysMs = 3 * 86_400_000
    const minuteMs = 60_000
    const client = clientFor(base, {
      clock: { wallMs: () => Date.now() - threeDaysMs, monotonicMs: () => performance.now() },
    })
    expect(client.clockOffsetMs()).toBeNull()
    await client.listSessions({}, never())
    expect(Math.abs(client.nowMs() - Date.now())).toBeLessThan(minuteMs)
    expect(Math.abs((client.clockOffsetMs() ?? 0) - threeDaysMs)).toBeLessThan(minuteMs)
    client.reconnect()
    expect(Math.abs(client.nowMs() - Date.now())).toBeLessThan(minuteMs)
  })
})
