import { describe, it } from 'vitest'
import type { Effect } from '../../support/second-service/fault-rules.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { PART } from '../../support/station.ts'

const partCount = 4
const drops = {
  'half of the body': { kind: 'drop-half-way' },
  'the whole body, before the answer': { kind: 'lose' },
} as const satisfies Record<string, Effect>

describe('after one dropped connection, only its part is sent again', () => {
  it.for(Object.keys(drops) as (keyof typeof drops)[])('dropped after %s', (drop, { expect }) =>
    withStation(async (station) => {
      station.configure({ transfer: { parallel_recordings: 2, parallel_parts: 2 * partCount } })
      const files = ['a.bin', 'b.bin'].map((name) => station.record(name, partCount * PART))
      await station.service.setFaults(
        { on: 'storage', path: '/3$', filename: 'a', times: 1, effect: drops[drop] },
        { on: 'storage', times: 2 * partCount, effect: { kind: 'delay', ms: 500 } },
      )
      station.run()
      await station.expectFilesSafe(files)
      const puts = await station.service.requests(({ on }) => on === 'storage')
      const resentParts = puts.filter(
        (put, index) =>
          puts.findIndex(({ path, filename }) => path === put.path && filename === put.filename) < index,
      )
      expect(resentParts.map(({ path }) => path.split('/').at(-1))).toEqual(['3'])
      expect(puts.length).toBeLessThanOrEqual(2 * partCount + 1)
    }),
  )
})
