import { describe, it } from 'vitest'
import type { Effect } from '../../support/other-service/fault-rules.ts'
import { peakRssBytes } from '../../support/other-service/other-station.ts'
import { withStation } from '../../support/other-service/with-station.ts'
import { MIB } from '../../support/station.ts'

const mostMemoryBytes = 400 * MIB

const plans = {
  one: { kind: 'edit', upload: { part_size: 1 } },
  zero: { kind: 'edit', upload: { part_size: 0 } },
  negative: { kind: 'edit', upload: { part_size: -5 } },
  vast: { kind: 'edit', upload: { part_size: 1e15 } },
  'too-many': { kind: 'edit', upload: { part_size: 4096 }, listParts: 11_800 },
  million: { kind: 'edit', listParts: 1_000_000 },
} as const satisfies Record<string, Effect>

describe.concurrent('a part plan that cannot be is the problem of one recording', () => {
  it.for(Object.keys(plans) as (keyof typeof plans)[])('%s', (name, { expect }) =>
    withStation(async (station) => {
      await station.service.faults({ on: 'control', filename: name, effect: plans[name] })
      station.record(`${name}.bin`, 46 * MIB)
      const agent = station.run()
      await agent.saw('a problem', ({ problem }) => problem !== null, 60_000)
      station.record('good.bin')
      await station.processed(30_000, ['good.bin'])
      const spoilt = await station.recording(`${name}.bin`)
      expect(spoilt.problem).not.toBeNull()
      expect(spoilt.state).not.toBe('processed')
      expect((await station.status()).station.problem).toBeNull()
      expect(peakRssBytes(agent)).toBeLessThan(mostMemoryBytes)
    }),
  )
})
