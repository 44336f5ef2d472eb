import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { signInPages } from '../../support/second-service/bad-answers.ts'
import { collectMessages, isOneLastingMessage } from '../../support/second-service/station-messages.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { PART, until } from '../../support/station.ts'

const signInMs = 16_000
const MAX_REQUESTS = 20

describe.concurrent('waits while a guest network answers every request with its sign-in page', () => {
  it.for(Object.keys(signInPages) as (keyof typeof signInPages)[])('%s', (page, { expect }) =>
    withStation(async (station) => {
      const files = ['processing-1.bin', 'processing-2.bin', 'processing-3.bin'].map((name) =>
        station.record(name),
      )
      await station.service.setBehaviour({ processingMs: 3_600_000 })
      await station.service.setFaults(
        { path: '/complete$', filename: 'completing', effect: { kind: 'hang' } },
        { on: 'storage', filename: 'uploading', effect: { kind: 'delay', ms: 1_500 } },
      )
      const agent = station.run()
      await until(
        'three recordings are being processed',
        () => {
          const names = agent.lines.filter(({ state }) => state === 'processing').map(({ path }) => path)
          return new Set(names).size === 3
        },
        60_000,
      )
      files.push(...['uploading-1.bin', 'uploading-2.bin'].map((name) => station.record(name, 3 * PART)))
      files.push(station.record('completing.bin'))
      for (const state of ['completing', 'uploading'] as const)
        await agent.waitForChange(state, (line) => line.state === state && line.path.includes(state), 60_000)

      const start = Date.now()
      await station.service.setFaults({ effect: signInPages[page] })
      await station.service.setBehaviour({ processingMs: 300 })
      files.push(...['new-1.bin', 'new-2.bin', 'new-3.bin', 'new-4.bin'].map((name) => station.record(name)))
      // Wait for the first sign-in pages, after which the station shows one message.
      await sleep(1_500)
      const messages = await collectMessages(station, signInMs - 1_500)
      const end = Date.now()
      await station.service.setFaults()
      const requests = await station.service.requests(({ at }) => at > start + 100 && at < end)

      await station.expectFilesSafe(files)
      expect(messages, 'the messages of the station').toSatisfy(isOneLastingMessage)
      expect(requests.length).toBeLessThanOrEqual(MAX_REQUESTS)
    }),
  )
})
