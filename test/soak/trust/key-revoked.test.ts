import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { collectMessages, isOneLastingMessage } from '../../support/second-service/station-messages.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { PART } from '../../support/station.ts'

const revokedMs = 8_000
const MAX_PROBES = 8

it('while the key is revoked, the station shows one message and sends few probes; then everything continues', () =>
  withStation(async (station) => {
    await station.service.setBehaviour({ processingMs: 3_000 })
    await station.service.setFaults({
      on: 'storage',
      filename: 'large',
      effect: { kind: 'delay', ms: 1_000 },
    })
    const files = [
      station.record('small-1.bin'),
      station.record('small-2.bin'),
      station.record('large.bin', 4 * PART),
    ]
    const agent = station.run()
    await agent.waitForChange('processing', ({ state }) => state === 'processing')
    await agent.waitForChange(
      'uploading',
      (line) => line.path.endsWith('large.bin') && line.session_id !== null,
    )

    await station.service.setBehaviour({ isKeyRevoked: true })
    files.push(station.record('new-1.bin'), station.record('new-2.bin'))
    // Wait until the service has refused the requests in flight. Then the agent sends only probes.
    await sleep(2_000)
    const start = Date.now()
    const messages = await collectMessages(station, revokedMs - 2_000)
    const end = Date.now()
    await station.service.setBehaviour({ isKeyRevoked: false })
    const requests = await station.service.requests(
      ({ at, on }) => on === 'control' && at > start && at < end,
    )

    await station.expectFilesSafe(files)
    expect(messages, 'the messages of the station').toSatisfy(isOneLastingMessage)
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(requests.length).toBeLessThanOrEqual(MAX_PROBES)
    expect(requests.length, 'number of probes').toBeGreaterThan(0)
  }))
