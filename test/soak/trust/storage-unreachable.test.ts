import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { collectMessages, isOneLastingMessage } from '../../support/second-service/station-messages.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { PART } from '../../support/station.ts'

const closedMs = 40_000
const MAX_ATTEMPTS = 20

it('while the storage is unreachable for 40 s, probes it rarely and shows one message; then continues', () =>
  withStation(async (station) => {
    const connectsFile = path.join(station.recordings, '..', 'connects')
    writeFileSync(connectsFile, '')
    const preload = path.resolve(import.meta.dirname, '../../support/second-service/count-connects.mjs')
    const files = ['a.bin', 'b.bin', 'c.bin'].map((name) => station.record(name, 4 * PART))
    await station.service.setFaults({ on: 'storage', effect: { kind: 'delay', ms: 700 } })
    const agent = station.runWith({ NODE_OPTIONS: `--import=${preload}`, COUNT_CONNECTS_FILE: connectsFile })
    await agent.waitForChange('a part is uploading', ({ bytes_sent }) => bytes_sent > 0)
    for (const name of ['a', 'b', 'c'])
      await agent.waitForChange(
        `${name} uploading`,
        (line) => line.path.endsWith(`${name}.bin`) && line.session_id !== null,
      )

    await station.service.setFaults()
    const start = Date.now()
    await station.service.setStorageOpen(false)
    const messages = await collectMessages(station, closedMs)
    const end = Date.now()
    await station.service.setStorageOpen(true)
    const wasWhileClosed = (at: number): boolean => at > start + 100 && at < end
    const requests = await station.service.requests(({ at }) => wasWhileClosed(at))
    const attempts = readFileSync(connectsFile, 'utf8')
      .split('\n')
      .filter((line) => wasWhileClosed(Number(line)))

    await station.expectFilesSafe(files)
    expect(messages, 'the messages of the station').toSatisfy(isOneLastingMessage)
    expect(attempts.length, 'number of probes').toBeGreaterThan(0)
    expect(attempts.length, 'attempted connections, including refused ones').toBeLessThanOrEqual(MAX_ATTEMPTS)
    expect(requests.length).toBeLessThanOrEqual(MAX_ATTEMPTS)
  }))
