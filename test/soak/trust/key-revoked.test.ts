import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { isSteady, saidFor } from '../../support/other-service/station-messages.ts'
import { withStation } from '../../support/other-service/with-station.ts'
import { PART } from '../../support/station.ts'

const revokedMs = 8_000
const mostProbes = 8

it('a key revoked and restored: one message, few probes, and everything continues', () =>
  withStation(async (station) => {
    await station.service.knobs({ processingMs: 3_000 })
    await station.service.faults({ on: 'storage', filename: 'large', effect: { kind: 'delay', ms: 1_000 } })
    const files = [
      station.record('small-1.bin'),
      station.record('small-2.bin'),
      station.record('large.bin', 4 * PART),
    ]
    const agent = station.run()
    await agent.saw('processing', ({ state }) => state === 'processing')
    await agent.saw('uploading', (line) => line.path.endsWith('large.bin') && line.session_id !== null)

    await station.service.knobs({ keyRevoked: true })
    files.push(station.record('new-1.bin'), station.record('new-2.bin'))
    // Requests in flight meet the refusal; from then on there are only probes.
    await sleep(2_000)
    const start = Date.now()
    const messages = await saidFor(station, revokedMs - 2_000)
    const end = Date.now()
    await station.service.knobs({ keyRevoked: false })
    const requests = await station.service.requests(
      ({ at, on }) => on === 'control' && at > start && at < end,
    )

    await station.expectFilesSafe(files)
    expect(messages, 'the messages of the station').toSatisfy(isSteady)
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(requests.length).toBeLessThanOrEqual(mostProbes)
    expect(requests.length, 'it probes').toBeGreaterThan(0)
  }))
