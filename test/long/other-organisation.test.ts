import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { isLong } from '../support/runs.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

let station: Station
let hosted: HostedAgent
afterEach(() => station.close())

const random = seeded(14)
const record = (name: string, bytes = 1000) =>
  writeRandomFile(path.join(station.recordings, name), bytes, random)

const foreignSessions = async (): Promise<unknown[]> => {
  const headers = { authorization: `Bearer ${station.sandbox.keys.other_org}` }
  const page = (await (await station.sandbox.api('/v1/sessions?limit=500', { headers })).json()) as {
    data: unknown[]
  }
  return page.data
}

const problemCode = () => hosted.status?.station.problem?.code ?? null
const longDelay = { kind: 'latency', ms: 600_000 }

/** Opens a station with three recordings: one is processed, one is in processing, and one is half sent. */
const openWithWork = async (): Promise<void> => {
  station = await Station.open(['--processing-delay', '2000'])
  await record('done.bin')
  hosted = await HostedAgent.start(station)
  await hosted.waitForState('done.bin', 'processed')
  await station.sandbox.control('POST', '/clock', { offset_s: 0, frozen: true })
  await record('processing.bin')
  await hosted.waitForState('processing.bin', 'processing')
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1000, effect: longDelay })
  await record('half.bin', 2 * PART)
  await until('half of the recording is sent', async () =>
    (await hosted.recordings()).some((row) => row.name === 'half.bin' && row.partsSent === 1),
  )
}

const statesByName = async () =>
  Object.fromEntries((await hosted.recordings()).map((row) => [row.name, row.state]))

const variants = [
  ['forbids', []],
  ['hides', [{ route: 'retrieve', count: 10_000, effect: { kind: 'status', status: 404 } }]],
] as const

test.each(isLong ? variants : variants.slice(0, 1))(
  'if the key belongs to a different organisation and the service %s the old sessions, the station shows one problem and uploads nothing',
  async (_how, faults) => {
    await openWithWork()
    const foreignBefore = await foreignSessions()
    await station.sandbox.control('DELETE', '/faults')
    await station.fault(...faults, {
      route: 'put_part',
      match: { part: 2 },
      count: 1000,
      effect: longDelay,
    })
    const problemCodes: (string | null)[] = []
    hosted.child.on('message', () => problemCodes.push(problemCode()))
    hosted.configure(station.sandbox.keys.other_org)
    await until('the station is stopped', () => problemCode() === 'key-other-organisation')
    await record('new.bin')
    await hosted.waitForState('new.bin', 'ready')
    const { retrieve = 0 } = (await station.stats()).routes
    await until(
      'the station has probed again',
      async () => ((await station.stats()).routes.retrieve ?? 0) > retrieve,
    )
    await until(
      'the station reports the problem',
      () => hosted.status?.station.problem?.code === 'key-other-organisation',
    )

    expect(await statesByName()).toEqual({
      'done.bin': 'processed',
      'processing.bin': 'processing',
      'half.bin': 'uploading',
      'new.bin': 'ready',
    })
    expect(await foreignSessions()).toEqual(foreignBefore)
    expect(hosted.status?.problems.map((group) => [group.problem.code, group.problem.owner])).toEqual([
      ['key-other-organisation', 'admin'],
    ])
    // Once the station had stopped, it stayed stopped.
    expect(new Set(problemCodes.slice(problemCodes.indexOf('key-other-organisation')))).toEqual(
      new Set(['key-other-organisation']),
    )

    // With the right key again, everything continues, and nothing is sent twice.
    await station.sandbox.control('DELETE', '/faults')
    await station.sandbox.control('POST', '/clock', { offset_s: 60 })
    hosted.configure()
    for (const name of ['processing.bin', 'half.bin', 'new.bin']) await hosted.waitForState(name, 'processed')
    await station.expectAllSafe()
    expect(await station.sessions()).toHaveLength(4)
    const half = (await hosted.recordings()).find((row) => row.name === 'half.bin')
    expect((await station.stats()).parts[half?.sessionId ?? '']?.['1']).toBe(1)
  },
)

test('once the user accepts the key, the station continues in the new organisation, even after a restart', async () => {
  await openWithWork()
  await station.sandbox.control('DELETE', '/faults')
  await expect(hosted.call('acceptOrganisation', undefined)).rejects.toThrow('nothing to accept')
  const foreignBefore = await foreignSessions()
  hosted.configure(station.sandbox.keys.other_org)
  await until('the station is stopped', () => problemCode() === 'key-other-organisation')
  await hosted.call('acceptOrganisation', undefined)

  // Unfinished recordings go to the new organisation. Sluice reports recordings that are complete in the old
  // organisation, and does not send them twice.
  await hosted.waitForState('half.bin', 'processing')
  const completeRecording = await hosted.waitForState('processing.bin', 'failed')
  expect(completeRecording.problem).toMatchObject({ code: 'session-elsewhere', owner: 'admin' })
  expect(await foreignSessions()).toHaveLength(foreignBefore.length + 1)
  await hosted.stop()

  station.configure({ service: { api_key: station.sandbox.keys.other_org } })
  await station.sandbox.control('POST', '/clock', { offset_s: 60 })
  hosted = await HostedAgent.start(station)
  await hosted.waitForState('half.bin', 'processed')
  expect(problemCode()).toBeNull()
})

test('with a key of a different organisation, `run` exits with 2 and prints the reason; after `accept-key`, the next run continues', async () => {
  station = await Station.open()
  await record('done.bin')
  expect(await station.runToIdle()).toBe(0)
  const foreignBefore = await foreignSessions()
  station.configure({ service: { api_key: station.sandbox.keys.other_org } })
  await record('new.bin')
  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(2)
  expect(agent.stderr).toContain('The API key belongs to a different organisation')
  expect(await foreignSessions()).toEqual(foreignBefore)

  expect((await station.command('accept-key')).code).toBe(0)
  const secondRun = station.agent('--until-idle')
  expect(await secondRun.ended).toBe(0)
  expect(await foreignSessions()).toHaveLength(foreignBefore.length + 1)
  const secondCommand = await station.command('accept-key')
  expect(secondCommand).toMatchObject({ code: 1, err: expect.stringContaining('nothing to accept') })
})
