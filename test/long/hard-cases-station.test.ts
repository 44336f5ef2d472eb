import { readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { connectToAgent } from '../../main/endpoint/endpoint-client.ts'
import { fillDisk } from '../support/fill-disk.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { readJournal, waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { mountedDisk, needs } from '../support/needs.ts'
import { seeded } from '../support/seeded.ts'
import { MIB, PART, Station, until } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
afterEach(async () => {
  await station?.close()
})

const random = seeded(7)

const record = async (name: string, bytes: number): Promise<string> => {
  const file = path.join(station.recordings, name)
  await writeRandomFile(file, bytes, random)
  return file
}

test('hard case 7: with half-open sockets after sleep, the agent reconnects at once, not after the idle timeout', async () => {
  station = await Station.open(['--client-timeout', '250'])
  await record('take.bin', 2 * PART)
  await station.fault({ route: 'put_part', count: 2, effect: { kind: 'half_open' } })
  hosted = await HostedAgent.start(station)
  await until('both parts hang', async () => ((await station.stats()).routes.put_part ?? 0) >= 2)

  hosted.reconnect()
  // Without the reconnect, the agent would detect the silent connections only after 60 s.
  const belowIdleTimeoutMs = 50_000
  await until(
    'both parts are sent again',
    async () => ((await station.stats()).routes.put_part ?? 0) >= 4,
    belowIdleTimeoutMs,
  )

  await hosted.waitForState('take.bin', 'processed')
  await station.expectAllSafe()
})

const openConnectionsTo = (port: number): number => {
  const ESTABLISHED = '01'
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)
  return rows.filter((row) => {
    const [, , remote = '', state] = row.trim().split(/\s+/)
    return state === ESTABLISHED && Number.parseInt(remote.split(':')[1] ?? '', 16) === port
  }).length
}

test('hard case 7b: the upload continues if the service closed every connection while the PC slept', async () => {
  station = await Station.open(['--client-timeout', '2'])
  station.configure({ rest: { transfer: { limit_mbit_per_s: 30 } } })
  await record('take.bin', 3 * PART)
  const agent = station.agent('--until-idle')
  await agent.waitForChange('the upload has begun', (line) => line.bytes_sent > 0)
  const [part] = readJournal<{ url: string }>(station.data, 'SELECT url FROM parts WHERE url IS NOT NULL')
  const port = Number(new URL(part?.url ?? '').port)
  expect(openConnectionsTo(port)).toBeGreaterThan(0)
  agent.child.kill('SIGSTOP')
  await until('the service has closed every connection', () => openConnectionsTo(port) === 0)
  agent.child.kill('SIGCONT')

  expect(await agent.ended).toBe(0)
  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
})

for (const [refusal, key, code] of [
  ['401', 'revoked', 'key-refused'],
  ['403', 'read', 'key-read-only'],
] as const)
  test(`hard case 8: ${refusal} stops the whole station: Sluice shows one problem and sends only probes until it gets a new key`, async () => {
    station = await Station.open()
    for (let n = 0; n < 12; n += 1) await record(`take-${n}.bin`, 1000 + n)
    station.configure({ service: { api_key: station.sandbox.keys[key] } })
    hosted = await HostedAgent.start(station)
    await waitForJournal(
      station.data,
      'all are hashed',
      "SELECT 1 FROM recordings WHERE state = 'ready' GROUP BY state HAVING COUNT(*) = 12",
    )
    await until('the station is stopped', () => hosted.status?.station.problem?.code === code)
    const creationsBefore = (await station.stats()).routes.create ?? 0
    await until('the station has probed twice', async () => ((await station.stats()).routes.list ?? 0) >= 2)

    // Apart from the requests in flight at the first refusal, the service got only probes.
    const { create = 0, list = 0 } = (await station.stats()).routes
    expect(creationsBefore).toBeLessThanOrEqual(8 + list)
    expect(create - creationsBefore).toBeLessThanOrEqual(list)
    const rows = await hosted.recordings()
    expect(rows.map((row) => row.problem)).toEqual(rows.map(() => null))
    await until('one problem is shown', () => hosted.status?.problems.length === 1)
    expect(hosted.status?.problems.map((group) => group.problem.code)).toEqual([code])

    station.configure()
    hosted.configure()
    await until('all recordings are processed', async () =>
      (await hosted.recordings()).every((row) => row.state === 'processed'),
    )
    await until('no problem is left', () => hosted.status?.station.problem === null)
    await station.expectAllSafe()
  })

test(
  'hard case 9: if the disk of the journal is full, the agent stops cleanly, reports the full disk, and resumes by itself',
  needs(mountedDisk),
  async () => {
    station = await Station.open()
    station.mount(station.data, 'size=160m')
    const agent = station.agent()
    await record('before.bin', 1000)
    await agent.waitForChange('the first recording is processed', (line) => line.state === 'processed')
    const ballast = path.join(station.data, 'ballast')
    fillDisk(ballast)
    for (let n = 0; n < 3; n += 1) await record(`full-${n}.bin`, PART + n)
    await until('the agent reports the full disk', () =>
      agent.stderr.includes('The disk with the journal is full'),
    )
    expect(agent.child.exitCode).toBeNull()
    // The journal cannot store this condition, so the command asks the agent.
    const status = await station.sluice('status', '--check')
    expect(status.out).toContain('The disk with the journal is full')
    expect(status.out).not.toMatch(/^Ready/)
    expect(status.code).toBe(2)
    // A member of the group in `control.group` gets the status from the agent, too.
    const client = await connectToAgent(station.data, { version: 'test', clientIs: 'this program' })
    const answer = await client?.call('getStatusReport', undefined)
    client?.close()
    expect(answer).toMatchObject({ value: { station: { problem: { code: 'disk-full' } } } })

    rmSync(ballast)
    await until('all recordings are processed', async () => {
      const { recordings } = await station.status()
      return recordings.length === 4 && recordings.every((row) => row.state === 'processed')
    })
    await station.expectAllSafe()
    expect((await station.status()).station.problem).toBeNull()
    await agent.kill('SIGTERM')
    expect(await agent.ended).toBe(0)
  },
)

test(
  'hard case 9b: if the disk fills up during an upload, nothing is lost, and the agent continues by itself',
  needs(mountedDisk),
  async () => {
    station = await Station.open()
    station.configure({ rest: { transfer: { limit_mbit_per_s: 40 } } })
    station.mount(station.data, 'size=160m')
    await record('take.bin', 5 * PART)
    const agent = station.agent('--until-idle')
    await agent.waitForChange('the agent sends bytes', (line) => line.bytes_sent > 0)
    const ballast = path.join(station.data, 'ballast')
    fillDisk(ballast)
    await until('the agent reports the full disk', () =>
      agent.stderr.includes('The disk with the journal is full'),
    )
    // Wait until the parts in flight have ended. The agent cannot journal them.
    await until('nothing is in flight', () => (agent.lines.at(-1)?.bytes_sent ?? 1) % PART === 0)
    expect(agent.child.exitCode).toBeNull()

    rmSync(ballast)
    expect(await agent.ended).toBe(0)
    await station.expectAllSafe()
    expect(await station.sessions()).toHaveLength(1)
  },
)

test(
  'hard case 9c: the agent stops and reports low disk space early, so that the recorder can use the last free space',
  needs(mountedDisk),
  async () => {
    station = await Station.open()
    station.mount(station.data, 'size=160m')
    const ballast = path.join(station.data, 'ballast')
    fillDisk(ballast)
    truncateSync(ballast, statSync(ballast).size - 3 * MIB)
    const agent = station.agent('--until-idle')
    await record('take.bin', 1000)
    await until('the agent reports the full disk', () =>
      agent.stderr.includes('The disk with the journal is full'),
    )

    rmSync(ballast)
    expect(await agent.ended).toBe(0)
    await station.expectAllSafe()
  },
)

test('hard case 10: a second agent on the same journal is refused with a clear message, and the first agent continues', async () => {
  station = await Station.open()
  const first = station.agent()
  await until('the first agent runs', async () => (await station.command('status', '--json')).code === 0)

  const second = station.agent('--until-idle')
  expect(await second.ended).toBe(1)
  expect(second.stderr).toContain(`Another Sluice agent already uses the data folder ${station.data}`)

  await record('take.bin', 1000)
  await first.waitForChange('the first agent still works', (line) => line.state === 'processed')
  await first.kill('SIGKILL')
  // A crash leaves no stale lock behind.
  expect(await station.runToIdle()).toBe(0)
})
