import { expect, it } from 'vitest'
import { withStation } from '../../support/second-service/with-station.ts'
import { PART, until } from '../../support/station.ts'

const waitSeconds = 20
/** Requests that were in flight when the 429 was sent may arrive within this time. */
const IN_FLIGHT_MS = 300

it('after 429 with Retry-After, the agent makes no call for that time, and parts in flight continue', () =>
  withStation(async (station) => {
    station.configure({ transfer: { parallel_parts: 1 } })
    const files = [station.record('large.bin', 6 * PART)]
    const slowStorage = { on: 'storage', effect: { kind: 'delay', ms: 1_500 } } as const
    await station.service.setFaults(slowStorage)
    const agent = station.run()
    await agent.waitForChange('uploading', ({ session_id }) => session_id !== null)
    await station.service.setFaults(slowStorage, {
      on: 'control',
      method: 'POST',
      path: '/sessions$',
      times: 1,
      effect: {
        kind: 'refuse',
        status: 429,
        type: 'rate_limited',
        code: 'too_many_requests',
        message: 'Too many requests.',
        headers: { 'Retry-After': String(waitSeconds) },
      },
    })
    files.push(station.record('b.bin'), station.record('c.bin'))
    const limitedRequest = await until('the service has answered with 429', async () =>
      (await station.service.requests(({ status }) => status === 429)).at(0),
    )
    await station.expectFilesSafe(files)

    const fromMs = (limitedRequest.answeredAt ?? 0) + IN_FLIGHT_MS
    const toMs = (limitedRequest.answeredAt ?? 0) + waitSeconds * 1_000 - IN_FLIGHT_MS
    const requests = await station.service.requests(({ at }) => at > fromMs && at < toMs)
    expect(requests.filter(({ on }) => on === 'control')).toEqual([])
    expect(
      requests.filter(({ on, status }) => on === 'storage' && status === 200).length,
    ).toBeGreaterThanOrEqual(3)
    const puts = await station.service.requests(({ on }) => on === 'storage')
    expect(puts.length, 'no part was sent twice').toBe(8)
  }))
