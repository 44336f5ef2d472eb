import { describe, it } from 'vitest'
import type { FaultRule } from '../../support/other-service/fault-rules.ts'
import type { OtherStation } from '../../support/other-service/other-station.ts'
import { withStation } from '../../support/other-service/with-station.ts'

const message = (param: string): string => `The ${param} of this request is not one we take (rule 7).`

const refuse = (param: string, match: Partial<FaultRule>): FaultRule => ({
  on: 'control',
  method: 'POST',
  path: '/sessions$',
  ...match,
  effect: {
    kind: 'refuse',
    status: 400,
    type: 'invalid_request',
    code: 'parameter_invalid',
    message: message(param),
    param,
  },
})

const creations = (station: OtherStation, filename: string) =>
  station.service.requests(
    (one) => one.path === '/v1/sessions' && one.method === 'POST' && one.filename === filename,
  )

/** Well under the patience: what waits for a person is not waited for. */
const atOnceMs = 60_000

describe.concurrent('a creation that the service refuses is told in its own words', () => {
  it.for(['site', 'device', 'notes', 'filename', 'bytes'])('%s', (param, { expect }) =>
    withStation(async (station) => {
      await station.service.faults(refuse(param, { filename: 'one' }))
      station.record('one.bin')
      const agent = station.run('--until-idle')
      const late = setTimeout(() => agent.kill(), atOnceMs)
      expect(await agent.ended).toBe(2)
      clearTimeout(late)
      const { problem } = await station.recording('one.bin')
      const asked = await creations(station, 'one.bin')
      expect(asked.length).toBe(1)
      expect(problem?.sentence).toContain(message(param))
      expect(problem).toMatchObject({ param, requestId: asked[0]?.requestId })
    }),
  )

  it.for([
    ['site', 'lab 2'],
    ['device', 'rig 2'],
    ['notes', 'night shift'],
  ] as const)(
    '%s corrected in the settings: created with what they say now, under a new key',
    ([param, right], { expect }) =>
      withStation(async (station) => {
        station.configure({ folder: { [param]: 'wrong' } })
        await station.service.faults(refuse(param, { body: { [param]: '^wrong$' } }))
        const files = [station.record('one.bin'), station.record('two.bin')]
        const first = station.run('--until-idle')
        const late = setTimeout(() => first.kill(), atOnceMs)
        expect(await first.ended).toBe(2)
        clearTimeout(late)

        station.configure({ folder: { [param]: right } })
        station.run()
        await station.expectFilesSafe(files)
        const keys = (await creations(station, 'one.bin')).map(({ idempotencyKey }) => idempotencyKey)
        expect(new Set(keys).size).toBe(2)
        if (param === 'site')
          expect((await station.service.sessions()).map(({ site }) => site)).toEqual([right, right])
      }),
  )
})
