import { describe, it } from 'vitest'
import type { FaultRule } from '../../support/second-service/fault-rules.ts'
import type { SecondServiceStation } from '../../support/second-service/second-service-station.ts'
import { withStation } from '../../support/second-service/with-station.ts'

const message = (param: string): string => `The ${param} of this request is not accepted (rule 7).`

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

const listCreations = (station: SecondServiceStation, filename: string) =>
  station.service.requests(
    (request) =>
      request.path === '/v1/sessions' && request.method === 'POST' && request.filename === filename,
  )

/** The test kills a run that takes longer. */
const maxRunMs = 60_000

const runUntilUserNeeded = async (station: SecondServiceStation): Promise<number | NodeJS.Signals> => {
  const agent = station.run('--until-idle')
  const timer = setTimeout(() => agent.kill(), maxRunMs)
  const code = await agent.ended
  clearTimeout(timer)
  return code
}

describe.concurrent('when the service refuses a creation', () => {
  it('Sluice shows the refusal in the service’s own words, whichever field the service names', ({ expect }) =>
    withStation(async (station) => {
      const params = ['site', 'device', 'notes', 'filename', 'bytes']
      await station.service.setFaults(...params.map((param) => refuse(param, { filename: `^${param}` })))
      for (const param of params) station.record(`${param}.bin`)
      expect(await runUntilUserNeeded(station)).toBe(2)
      for (const param of params) {
        const { problem } = await station.recording(`${param}.bin`)
        const creationRequests = await listCreations(station, `${param}.bin`)
        expect.soft(creationRequests.length, param).toBe(1)
        expect.soft(problem?.sentence, param).toContain(message(param))
        expect.soft(problem, param).toMatchObject({ param, requestId: creationRequests[0]?.requestId })
      }
    }))

  it('Sluice creates the session with a new idempotency key once the settings are corrected', ({ expect }) =>
    withStation(async (station) => {
      const correctValues = { site: 'lab 2', device: 'rig 2', notes: 'night shift' }
      const params = Object.keys(correctValues) as (keyof typeof correctValues)[]
      const folders = (valueFor: (param: keyof typeof correctValues) => string) =>
        Object.fromEntries(params.map((param) => [param, { [param]: valueFor(param) }]))
      station.configure({ folders: folders(() => 'wrong') })
      await station.service.setFaults(
        ...params.map((param) => refuse(param, { body: { [param]: '^wrong$' } })),
      )
      const files = params.flatMap((param) =>
        ['one', 'two'].map((name) => station.record(`${param}/${param}-${name}.bin`)),
      )
      expect(await runUntilUserNeeded(station)).toBe(2)

      station.configure({ folders: folders((param) => correctValues[param]) })
      station.run()
      await station.expectFilesSafe(files)
      for (const param of params) {
        const keys = (await listCreations(station, `${param}-one.bin`)).map(
          ({ idempotencyKey }) => idempotencyKey,
        )
        expect.soft(new Set(keys).size, param).toBe(2)
      }
      const sites = (await station.service.sessions()).map(({ site }) => site)
      expect(sites.filter((site) => site === correctValues.site)).toHaveLength(2)
    }))
})
