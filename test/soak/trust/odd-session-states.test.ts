import { describe, it } from 'vitest'
import type { Effect, FaultRule } from '../../support/second-service/fault-rules.ts'
import type { SecondServiceStation } from '../../support/second-service/second-service-station.ts'
import { withStation } from '../../support/second-service/with-station.ts'
import { PART, until } from '../../support/station.ts'

const sessionAnswers = {
  uploaded: { kind: 'edit', session: { status: 'uploaded', upload: null } },
  'no-parts': { kind: 'edit', upload: { parts: [] } },
  'no-list': { kind: 'edit', upload: { parts: null } },
  'no-upload': { kind: 'edit', session: { upload: null } },
  assembling: { kind: 'edit', session: { status: 'assembling', upload: null } },
} as const satisfies Record<string, Effect>

const answerRules = Object.entries(sessionAnswers).map(([name, effect]) => ({
  on: 'control' as const,
  method: 'GET',
  path: '/ses_',
  filename: name,
  effect,
}))

const names = Object.keys(sessionAnswers)
const FILE_BYTES = PART + 1_000

/** When the test kills the agent: `rule` makes the agent wait until the service has reached this moment. */
const moments = {
  'before the answer to the last part arrives': {
    rule: { on: 'storage', path: '/2$', effect: { kind: 'delay', ms: 20_000 } },
    isReached: async (station) =>
      (await station.service.sessions()).every(({ bytes }) => bytes === FILE_BYTES),
  },
  'after the last part was acknowledged': {
    rule: { on: 'control', path: '/ses_', effect: { kind: 'hang' } },
    isReached: async (station) =>
      (await station.service.requests(({ on, status }) => on === 'storage' && status === 200)).length >=
      2 * names.length,
  },
  'during the completions': {
    rule: { on: 'control', path: '/complete$', effect: { kind: 'hang' } },
    isReached: async (station) =>
      (await station.service.sessions()).every(({ bytes }) => bytes === FILE_BYTES) &&
      (await station.service.requests(({ path }) => path.endsWith('/complete'))).length > 0,
  },
} as const satisfies Record<
  string,
  { readonly rule: FaultRule; readonly isReached: (station: SecondServiceStation) => Promise<boolean> }
>

/** The service refuses the first completions with a conflict, so the agent must read the session. */
const completionRefusals = names.map((name) => ({
  on: 'control' as const,
  path: '/complete$',
  filename: name,
  times: 2,
  effect: {
    kind: 'refuse' as const,
    status: 409,
    type: 'conflict',
    code: 'conflict',
    message: 'This session is being put together.',
  },
}))

describe.concurrent('after a kill, completes a session that has all parts, whatever the service reports about it', () => {
  it.for(Object.keys(moments) as (keyof typeof moments)[])('killed %s', (moment, { expect }) =>
    withStation(async (station) => {
      station.configure({ transfer: { parallel_recordings: names.length, parallel_parts: 2 * names.length } })
      const files = names.map((name) => station.record(`${name}.bin`, FILE_BYTES))
      await station.service.setFaults(moments[moment].rule)
      const agent = station.run()
      await until(
        moment,
        async () =>
          (await station.service.sessions()).length === names.length && moments[moment].isReached(station),
        60_000,
      )
      await agent.kill()
      await station.service.setFaults(...answerRules, ...completionRefusals)
      station.run()
      let incomplete = names
      await until(
        'completed at the service',
        async () => {
          const sessions = await station.service.sessions()
          incomplete = names.filter(
            (name) => !sessions.some((session) => session.completed && session.filename.startsWith(name)),
          )
          return incomplete.length === 0
        },
        30_000,
      ).catch(() => {})
      expect(incomplete, 'never completed').toEqual([])
      const readRequests = await station.service.requests(
        ({ method, path }) => method === 'GET' && path.includes('/ses_'),
      )
      expect(new Set(readRequests.map(({ filename }) => filename)).size, 'sessions read').toBe(names.length)
      await station.service.setFaults()
      await station.expectFilesSafe(files)
    }),
  )
})
