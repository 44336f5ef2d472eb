import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Agent } from '../../main/agent/assembly/agent.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { readSettings } from '../support/read-settings.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

const SLEEP_MS = 20 * 60_000

let station: Station
let agent: Agent
afterEach(async () => {
  await agent.stop()
  await station.close()
})

/** Clocks that a test can move. The monotonic clock can also be stopped. */
class Clocks {
  #wallAheadMs = 0
  #monotonicAheadMs = 0
  #stoppedAtMs: number | null = null

  readonly wallMs = () => Date.now() + this.#wallAheadMs
  readonly monotonicMs = () => (this.#stoppedAtMs ?? performance.now()) + this.#monotonicAheadMs

  jump(wallByMs: number, monotonicByMs: number): void {
    this.#wallAheadMs += wallByMs
    this.#monotonicAheadMs += monotonicByMs
  }

  stopMonotonic(): void {
    this.#stoppedAtMs ??= performance.now()
  }

  continueMonotonic(): void {
    this.#stoppedAtMs = null
  }
}

const start = async (clocks: Clocks): Promise<string[]> => {
  const logLines: string[] = []
  const note = (message: string, facts?: Readonly<Record<string, unknown>>) => {
    logLines.push(`${message} ${JSON.stringify(facts ?? {})}`)
  }
  agent = new Agent({
    dataFolder: station.data,
    log: { info: note, warn: note, error: note },
    onDamage: () => {},
    clock: clocks,
    random: () => 1,
  })
  agent.start()
  await agent.configure({ ...readSettings(station.settingsFile), systemProxy: { kind: 'unknown' } })
  return logLines
}

const sleepLines = (logLines: readonly string[]) => logLines.filter((line) => line.includes('the PC slept'))
const isProcessed = () => agent.journal.views.counts().processed === 1

for (const [clock, monotonicMs] of [
  ['that stopped during the sleep', 0],
  ['that continued during the sleep', SLEEP_MS],
] as const)
  test(`after sleep, with a monotonic clock ${clock}, the agent drops dead connections and sends their parts again`, async () => {
    station = await Station.open(['--client-timeout', '250'])
    await writeRandomFile(path.join(station.recordings, 'take.bin'), 2 * PART, seeded(7))
    await station.fault({ route: 'put_part', count: 2, effect: { kind: 'half_open' } })
    const clocks = new Clocks()
    const logLines = await start(clocks)
    await until('both parts hang', async () => ((await station.stats()).routes.put_part ?? 0) >= 2)
    expect(sleepLines(logLines)).toEqual([])

    clocks.jump(SLEEP_MS, monotonicMs)
    // If the agent did not detect the wake-up, it would notice a dead connection only after 60 s.
    const quickMs = 50_000
    await until(
      'both parts are sent again',
      async () => ((await station.stats()).routes.put_part ?? 0) >= 4,
      quickMs,
    )

    expect(sleepLines(logLines)).toHaveLength(1)
    await until('the recording is processed', isProcessed)
    await station.expectAllSafe()
  })

test('after sleep during an outage, the agent probes the service and scans the folder at once', async () => {
  station = await Station.open()
  const clocks = new Clocks()
  const logLines = await start(clocks)
  // Stop the monotonic clock when the service becomes unreachable, so that the next probe is never due by itself.
  agent.onChange(() => {
    if (agent.station.stop !== null) clocks.stopMonotonic()
  })
  await station.fault({ route: 'create', count: 3, effect: { kind: 'drop', when: 'before_body' } })
  writeFileSync(path.join(station.recordings, 'take.bin'), 'some bytes')
  await until('the service is unreachable', () => agent.station.stop?.code === 'service-unreachable')
  await until('the folder is scanned once', () => agent.watcherOf(station.recordings)?.scanned)
  const { folderAccess } = agent.platform
  const scans: string[] = []
  const { scan } = folderAccess
  Object.assign(folderAccess, {
    scan: (...args: Parameters<typeof scan>) => {
      scans.push(args[0].path)
      return scan(...args)
    },
  })

  // 600 ms are long enough for a scan after a wake-up, but too short for a scheduled scan or the next probe.
  clocks.jump(SLEEP_MS, 600)
  await until('the service is reachable', () => agent.station.stop === null)
  await until('the folder is scanned', () => scans.includes(station.recordings))

  expect(sleepLines(logLines)).toHaveLength(1)
  clocks.continueMonotonic()
  await until('the recording is processed', isProcessed)
  await station.expectAllSafe()
})
