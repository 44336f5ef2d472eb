import { describe, it } from 'vitest'
import type { Effect } from '../../support/other-service/fault-rules.ts'
import { withStation } from '../../support/other-service/with-station.ts'
import { PART, until } from '../../support/station.ts'

const readings = {
  uploaded: { kind: 'edit', session: { status: 'uploaded', upload: null } },
  'no-parts': { kind: 'edit', upload: { parts: [] } },
  'no-list': { kind: 'edit', upload: { parts: null } },
  'no-upload': { kind: 'edit', session: { upload: null } },
  assembling: { kind: 'edit', session: { status: 'assembling', upload: null } },
} as const satisfies Record<string, Effect>

const looks = Object.entries(readings).map(([name, effect]) => ({
  on: 'control' as const,
  method: 'GET',
  path: '/ses_',
  filename: name,
  effect,
}))

describe.concurrent('a session that is whole is completed, whatever it calls itself', () => {
  const start = 'killed after the last part was acknowledged'
  it.each(['while completing', 'at the acknowledgement'])(`${start}: %s`, (moment) =>
    withStation(async (station) => {
      station.configure({ transfer: { parallel_recordings: 5 } })
      const files = Object.keys(readings).map((name) => station.record(`${name}.bin`, PART + 1_000))
      await station.service.faults(
        { on: 'control', path: '/complete$', effect: { kind: 'hang' } },
        ...(moment === 'while completing'
          ? []
          : [{ on: 'control' as const, method: 'GET', effect: { kind: 'hang' as const } }]),
      )
      const agent = station.run()
      await until('every part is acknowledged', async () => {
        const puts = await station.service.requests(({ on, status }) => on === 'storage' && status === 200)
        const asked = await station.service.requests(({ path }) => path.endsWith('/complete'))
        return (
          puts.length >= 2 * files.length && (moment !== 'while completing' || asked.length >= files.length)
        )
      })
      await agent.kill()
      // The first completion after the start is not done either: now the session has to be asked.
      await station.service.faults(
        ...looks,
        ...Object.keys(readings).map((name) => ({
          on: 'control' as const,
          path: '/complete$',
          filename: name,
          times: 1,
          effect: { kind: 'answer' as const, status: 504, body: '<html>504</html>' },
        })),
      )
      station.run()
      await until(
        'completed',
        async () =>
          (await station.service.sessions()).filter(({ completed }) => completed).length === files.length,
        60_000,
      )
      await station.service.faults()
      await station.expectFilesSafe(files)
    }),
  )
})
