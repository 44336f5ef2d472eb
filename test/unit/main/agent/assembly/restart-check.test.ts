import { expect, test } from 'vitest'
import { RestartCheck } from '../../../../../main/agent/assembly/restart-check.ts'
import { InstalledVersion } from '../../../../../main/local-files/installed-version.ts'
import { standings } from '../../../../../shared/status/standing.ts'
import { recordingStates } from '../../../../../shared/status/status.ts'

const zeros = <Key extends string>(keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>

const MINUTE_MS = 60_000

const station = (onService = true) => {
  const world = {
    nowMs: 0,
    reads: 0,
    version: '1.0.0' as string | null,
    counts: zeros(recordingStates),
    standings: zeros(standings),
    shown: [] as string[],
    restarts: 0,
    proofs: 0,
    refusal: null as string | null,
  }
  const check = new RestartCheck({
    installed: new InstalledVersion(() => {
      world.reads += 1
      return world.version
    }),
    station: {
      raise: (name, code, details) => void world.shown.push(`${name} ${code} ${details?.detail}`),
      clear: () => {
        world.shown.length = 0
      },
    },
    clock: { monotonicMs: () => world.nowMs, wallMs: () => world.nowMs },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    status: () => world,
    prove: async () => {
      world.proofs += 1
      return world.refusal
    },
    restart: onService
      ? () => {
          world.restarts += 1
        }
      : null,
  })
  /** Runs one tick per second, like the agent. */
  const pass = async (ms: number) => {
    for (const endMs = world.nowMs + ms; world.nowMs < endMs; ) {
      world.nowMs += 1_000
      check.tick()
      // Lets `prove` end before the next tick.
      await Promise.resolve()
      await Promise.resolve()
    }
  }
  return { world, pass }
}

test('reads the installed version at most once a minute, and does nothing until the version changes', async () => {
  const { world, pass } = station()
  await pass(10 * MINUTE_MS)
  expect(world).toMatchObject({ reads: 11, shown: [], restarts: 0 })
})

test('reports a new version, waits until nothing is recorded or uploaded, and then restarts once', async () => {
  const { world, pass } = station()
  world.version = '1.1.0'
  world.standings.uploading = 1
  await pass(5 * MINUTE_MS)
  expect(world).toMatchObject({ shown: ['restart restart-due 1.1.0'], restarts: 0 })
  world.standings.uploading = 0
  world.standings.recording = 1
  await pass(MINUTE_MS)
  expect(world.restarts).toBe(0)
  world.standings.recording = 0
  world.standings.waiting = 3
  await pass(MINUTE_MS)
  expect(world.restarts).toBe(1)
})

test('does not end an agent if nothing would start it again', async () => {
  const { world, pass } = station(false)
  world.version = '1.1.0'
  await pass(2 * MINUTE_MS)
  expect(world).toMatchObject({ shown: ['restart restart-due 1.1.0'], restarts: 0 })
})

test('ignores a missing version file and a reverted update', async () => {
  const { world, pass } = station()
  world.standings.uploading = 1
  world.version = null
  await pass(MINUTE_MS)
  expect(world.shown).toEqual([])
  world.version = '1.1.0'
  await pass(MINUTE_MS)
  expect(world.shown).toHaveLength(1)
  world.version = '1.0.0'
  world.standings.uploading = 0
  await pass(MINUTE_MS)
  expect(world).toMatchObject({ shown: [], restarts: 0 })
})

test('does not restart into a version that cannot use the journal, and reports it once', async () => {
  const { world, pass } = station()
  world.version = '1.1.0'
  world.refusal = 'no such column: born'
  await pass(10 * MINUTE_MS)
  expect(world).toMatchObject({
    shown: ['restart restart-due 1.1.0', 'restart restart-refused version 1.1.0: no such column: born'],
    restarts: 0,
    proofs: 1,
  })
  world.version = '1.1.1'
  world.refusal = null
  await pass(5 * MINUTE_MS)
  expect(world).toMatchObject({ restarts: 1, proofs: 2 })
})

test('a program without a version file never restarts', async () => {
  let version: string | null = null
  const installed = new InstalledVersion(() => version)
  version = '1.1.0'
  expect(installed.replacement).toBeNull()
})
