import { describe, it } from 'vitest'
import { withStation } from '../../support/second-service/with-station.ts'
import { until } from '../../support/station.ts'

const workMs = 4_000

describe.concurrent('uses one idempotency key for all attempts at a completion that outlasts the gateway’s timeout', () => {
  it.for(['uploading', 'processing'] as const)(
    'if the session shows %s meanwhile',
    (statusMeanwhile, { expect }) =>
      withStation(async (station) => {
        await station.service.setBehaviour({ slowComplete: { workMs, gatewayMs: 300, statusMeanwhile } })
        const files = [station.record('one.bin'), station.record('two.bin', 9_000_000)]
        station.run()
        await until(
          'both sessions are being completed',
          async () => {
            const timeouts = await station.service.requests(({ status }) => status === 504)
            return timeouts.length >= 2
          },
          60_000,
        )
        await station.expectFilesSafe(files)
        for (const { id } of await station.service.sessions()) {
          const sessionRequests = await station.service.requests(({ path }) =>
            path.startsWith(`/v1/sessions/${id}`),
          )
          const calls = sessionRequests.map(({ method }) => method)
          const completions = sessionRequests.filter(({ method }) => method === 'POST')
          expect(new Set(completions.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
          expect(completions[0]?.idempotencyKey).not.toBeNull()
          expect(calls.join(' '), 'the session is read between two tries').not.toContain('POST POST')
          expect(calls).not.toContain('DELETE')
          expect(completions.length).toBeLessThanOrEqual(8)
        }
      }),
  )
})
