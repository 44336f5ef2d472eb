import { describe, it } from 'vitest'
import type { Effect } from '../../support/second-service/fault-rules.ts'
import { peakRssBytes } from '../../support/second-service/second-service-station.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { MIB, until } from '../../support/station.ts'

const MAX_MEMORY_BYTES = 400 * MIB
const jsonHeaders = { 'content-type': 'application/json' }
const megabyteText = 'm'.repeat(MIB)

const answers = {
  '32 MB of error text': { kind: 'answer', status: 500, fillBytes: 32_000_000 },
  '32 MB instead of JSON': {
    kind: 'answer',
    status: 200,
    headers: jsonHeaders,
    body: '"',
    fillBytes: 32_000_000,
  },
  'a list instead of an object': { kind: 'answer', status: 200, headers: jsonHeaders, body: '[1,2,3]' },
  null: { kind: 'answer', status: 200, headers: jsonHeaders, body: 'null' },
  'headers of 60 kB': { kind: 'large-headers', bytes: 60_000 },
  'an error with numbers as fields': {
    kind: 'answer',
    status: 500,
    headers: jsonHeaders,
    body: '{"error":{"type":1,"code":2,"message":3,"param":4,"request_id":5}}',
  },
  'an empty error': {
    kind: 'answer',
    status: 503,
    headers: jsonHeaders,
    body: '{"error":{"type":null,"code":null,"message":null,"param":null,"request_id":null}}',
  },
  'an error of a megabyte in each field': {
    kind: 'answer',
    status: 500,
    headers: jsonHeaders,
    body: JSON.stringify({
      error: {
        type: megabyteText,
        code: megabyteText,
        message: megabyteText,
        param: megabyteText,
        request_id: megabyteText,
      },
    }),
  },
  'half of the headers': { kind: 'cut-headers' },
  'one byte a second': { kind: 'trickle' },
} as const satisfies Record<string, Effect>

const FAULTY_ANSWER_COUNT = 2

describe.concurrent('an answer of any shape, size and speed', () => {
  it.for(Object.keys(answers) as (keyof typeof answers)[])(
    '%s delays only the recording that gets this answer, and only until the fault ends',
    (name, { expect }) =>
      withStation(async (station) => {
        await station.service.setFaults({ filename: 'odd', effect: answers[name] })
        const files = [station.record('odd.bin')]
        const agent = station.run()
        const answerCount = name === 'one byte a second' ? 1 : FAULTY_ANSWER_COUNT
        await until(
          'the service gave this answer',
          async () => {
            const oddRequests = await station.service.requests(({ filename }) => filename === 'odd.bin')
            return oddRequests.length >= answerCount
          },
          60_000,
        )
        files.push(station.record('good.bin'))
        await station.waitUntilProcessed(['good.bin'])
        await station.service.setFaults()
        await station.expectFilesSafe(files)
        expect(peakRssBytes(agent)).toBeLessThan(MAX_MEMORY_BYTES)
      }),
  )

  it('while every request gets 32 MB of error text, memory stays bounded; then all recordings are processed', ({
    expect,
  }) =>
    withStation(async (station) => {
      await station.service.setFaults({ effect: answers['32 MB of error text'] })
      const files = Array.from({ length: 6 }, (_, index) => station.record(`${index}.bin`))
      const agent = station.run()
      await until(
        'the service gave this answer',
        async () => (await station.service.requests()).length >= 4,
        60_000,
      )
      await station.service.setFaults()
      await station.expectFilesSafe(files)
      expect(peakRssBytes(agent)).toBeLessThan(MAX_MEMORY_BYTES)
    }))
})
