import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(9)
const pathOf = (name: string) => path.join(station.recordings, name)
const longDelay = { kind: 'latency', ms: 600_000 }

test('`status --json` has exactly the documented fields, even while an agent runs', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('take.bin'), PART + 1, random)
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1000, effect: longDelay })
  const agent = station.agent()
  await waitForJournal(station.data, 'one part is sent', 'SELECT 1 FROM parts WHERE etag IS NOT NULL')

  // The running upload and the inspection may reach the journal later than the first part.
  const { station: stationReport, recordings } = await until(
    'the recording is shown as uploading',
    async () => {
      const status = await station.status()
      const [recording] = status.recordings as readonly { standing?: string; inspection?: unknown }[]
      return recording?.standing === 'uploading' && recording.inspection !== null && status
    },
  )

  expect(Object.keys(stationReport)).toEqual([
    'headline',
    'detail',
    'paused',
    'paused_until',
    'paused_since',
    'upload_now',
    'problem',
    'conditions',
    'test_key',
    'silences',
    'takes_to_check',
    'staying',
    'counts',
    'standings',
    'bytes_left',
    'bytes_per_second',
    'forecast',
    'drive_space',
    'folders',
    'update',
  ])
  expect(recordings).toEqual([
    {
      path: pathOf('take.bin'),
      take: null,
      state: 'uploading',
      standing: 'uploading',
      session_id: expect.stringMatching(/^ses_/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes: PART + 1,
      // The second part is one byte. While it is in flight, it may count as sent.
      bytes_sent: expect.closeTo(PART, -1),
      settles_at: null,
      waits_for: null,
      parts_total: 2,
      parts_sent: 1,
      problem: null,
      removed_at: null,
      moved_to: null,
      stays_because: null,
      inspection: {
        format: 'other',
        completeness: 'unknown',
        started_at: null,
        ended_at: null,
        duration_s: null,
        channels: [],
        warnings: [],
      },
      differences: [],
      deviations: [],
    },
  ])
  expect(agent.child.exitCode).toBeNull()
  const fields = ['at', 'path', 'state', 'standing', 'session_id', 'bytes', 'bytes_sent', 'problem']
  for (const line of agent.lines) expect(Object.keys(line)).toEqual(fields)
})

test('`status` shows no running upload as soon as the agent has stopped', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('take.bin'), PART + 1, random)
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1000, effect: longDelay })
  const agent = station.agent()
  await waitForJournal(station.data, 'one part is sent', 'SELECT 1 FROM parts WHERE etag IS NOT NULL')
  await until('the recording is shown as uploading', async () => {
    const [recording] = (await station.status()).recordings as readonly { standing?: string }[]
    return recording?.standing === 'uploading'
  })
  await agent.kill('SIGTERM')
  expect(await agent.ended).toBe(0)
  const { station: stationReport, recordings } = await station.status()
  expect(stationReport).toMatchObject({ bytes_per_second: null })
  expect(recordings[0]).toMatchObject({ standing: 'waiting' })
  expect((await station.sluice('status')).out).toContain('The agent is not running, so nothing is uploaded.')
})

test('`pause` stops the uploads of a running agent until `resume`, even after a restart', async () => {
  station = await Station.open()
  const agent = station.agent()
  await until('the agent runs', async () => (await station.sluice('status', '--json')).code === 0)
  expect((await station.command('pause')).code).toBe(0)
  await writeRandomFile(pathOf('take.bin'), 1000, random)
  await waitForJournal(station.data, 'the recording waits', "SELECT 1 FROM recordings WHERE state = 'ready'")
  expect((await station.status()).station.paused).toBe(true)
  await agent.kill('SIGTERM')
  expect(await agent.ended).toBe(0)

  const restartedAgent = station.agent()
  // When the second recording is ready, the first would be uploading without the pause.
  await writeRandomFile(pathOf('second.bin'), 1000, random)
  await waitForJournal(
    station.data,
    'both recordings wait',
    "SELECT 1 FROM recordings WHERE state = 'ready' GROUP BY state HAVING COUNT(*) = 2",
  )
  expect(await station.sessions()).toEqual([])

  expect((await station.command('resume')).code).toBe(0)
  for (const name of ['take.bin', 'second.bin'])
    await restartedAgent.waitForChange(
      'the recording is processed',
      (line) => line.path === pathOf(name) && line.state === 'processed',
    )
})

test('`retry` uploads a failed recording in a new session and refuses an unknown path', async () => {
  station = await Station.open()
  // The service refuses random bytes as a WAV file.
  await writeRandomFile(pathOf('take.wav'), 1000, random)
  expect(await station.runToIdle()).toBe(2)
  expect((await station.sluice('prioritise', pathOf('take.wav'))).code).toBe(1)
  const [firstSession] = await station.sessions()

  expect((await station.sluice('retry', pathOf('take.wav'))).code).toBe(0)
  expect(await station.runToIdle()).toBe(2)
  const sessions = (await station.sessions()).map((session) => session.id)
  expect(sessions).toHaveLength(2)
  expect((await station.status()).recordings[0]?.session_id).not.toBe(firstSession?.id)

  const unknownPath = await station.sluice('retry', pathOf('nothing.bin'))
  expect(unknownPath).toMatchObject({ code: 1, out: '' })
  expect(unknownPath.err).toContain(`The journal has no recording ${pathOf('nothing.bin')}`)
})

test('exits with 1 on wrong usage and on wrong settings, and names every wrong field of the settings', async () => {
  station = await Station.open()
  const runWith = async (settings: unknown) => {
    writeFileSync(station.settingsFile, typeof settings === 'string' ? settings : JSON.stringify(settings))
    return station.sluice('run', '--settings', station.settingsFile, '--until-idle')
  }
  const result = await runWith({
    service: { base_url: 'http://example.com', checksum_header: 7 },
    folders: [{ path: 5, site: 'lab' }, { path: '/a' }, { path: '/b', site: 'lab', settle_seconds: 'ten' }],
    transfer: { parallel_parts: 0, windows: [{ from: '25:00', to: '08:00' }] },
    follow: { poll_secs: 3 },
  })
  expect(result.code).toBe(1)
  for (const field of [
    'service.base_url: Use https://',
    'service.checksum_header: ',
    'folders[0].path: ',
    'folders[1].site: ',
    'folders[2].settle_seconds: ',
    'transfer.parallel_parts: ',
    'transfer.windows[0].from: Use HH:MM',
    'poll_secs',
  ])
    expect(result.err).toContain(field)
  expect(result.err).not.toContain('    at ')

  expect(await runWith('{"service":')).toMatchObject({
    code: 1,
    err: expect.stringContaining('not valid JSON'),
  })
  expect(await runWith([])).toMatchObject({ code: 1 })

  const usage = [['frobnicate'], ['run'], ['retry'], ['status', 'too', 'many'], ['status', '--what']]
  for (const args of usage) expect((await station.sluice(...args)).code, args.join(' ')).toBe(1)
  const withoutJournal = await station.sluice('status', '--json')
  expect(withoutJournal).toMatchObject({ code: 1, err: expect.stringContaining('There is no journal in') })
})

test('reads the key from SLUICE_API_KEY; without a key, reports that it is missing and exits with 2', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('take.bin'), 1000, random)
  const { write } = station.sandbox.keys
  station.configure({ service: { api_key: undefined } })

  const agentWithoutKey = station.agentWith({ env: { SLUICE_API_KEY: '' } }, '--until-idle')
  expect(await agentWithoutKey.ended).toBe(2)
  expect(agentWithoutKey.stderr).toContain('No API key is set.')

  const agent = station.agentWith({ env: { SLUICE_API_KEY: `${write}\n` } }, '--until-idle')
  expect(await agent.ended).toBe(0)
  await station.expectAllSafe()
})
