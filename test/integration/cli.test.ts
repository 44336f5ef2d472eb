import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { editJournal, readJournal, waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-again.ts'
import { seeded } from '../support/seeded.ts'
import { AgentProcess, PART, Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(9)
const pathOf = (name: string) => path.join(station.recordings, name)
const longDelay = { kind: 'latency', ms: 600_000 }

test('status --json has exactly the documented fields, even while an agent runs', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('take.bin'), PART + 1, random)
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1000, effect: longDelay })
  const agent = station.agent()
  await waitForJournal(station.data, 'one part is sent', 'SELECT 1 FROM parts WHERE etag IS NOT NULL')

  // The agent stores the upload slots and the inspection of the file a moment later.
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
      // The last byte may be in flight.
      bytes_sent: expect.closeTo(PART, -1),
      settles_at: null,
      parts_total: 2,
      parts_sent: 1,
      problem: null,
      removed_at: null,
      moved_to: null,
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

test('pause stops uploads of a running agent, resume continues them; both survive a restart', async () => {
  station = await Station.open()
  const agent = station.agent()
  await until('the agent runs', async () => (await station.command('status', '--json')).code === 0)
  expect((await station.command('pause')).code).toBe(0)
  await writeRandomFile(pathOf('take.bin'), 1000, random)
  await waitForJournal(station.data, 'the recording waits', "SELECT 1 FROM recordings WHERE state = 'ready'")
  expect((await station.status()).station.paused).toBe(true)
  await agent.kill('SIGTERM')
  expect(await agent.ended).toBe(0)

  const restartedAgent = station.agent()
  // Once a second recording has reached the state of the first, every stage has run.
  await writeRandomFile(pathOf('second.bin'), 1000, random)
  await waitForJournal(
    station.data,
    'both wait',
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

test('pause stops an upload midway; resume sends only the remaining parts', async () => {
  station = await Station.open()
  station.configure({ rest: { transfer: { parallel_parts: 1 } } })
  await writeRandomFile(pathOf('take.bin'), 4 * PART, random)
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1000, effect: longDelay })
  const agent = station.agent('--until-idle')
  await agent.waitForChange('part 2 is in flight', (line) => line.bytes_sent > PART)
  expect((await station.command('pause')).code).toBe(0)
  await until('the part in flight is dropped', () => agent.lines.at(-1)?.bytes_sent === PART)
  await station.sandbox.control('DELETE', '/faults')
  expect((await station.command('resume')).code).toBe(0)

  expect(await agent.ended).toBe(0)
  await station.expectAllSafe()
  const [counts] = Object.values((await station.stats()).parts)
  expect(Object.values(counts ?? {})).toEqual([1, 1, 1, 1])
})

test('prioritise moves a recording to the front while an agent runs', async () => {
  station = await Station.open()
  station.configure({ rest: { transfer: { parallel_recordings: 1, parallel_parts: 1 } } })
  const agent = station.agent()
  await until('the agent runs', async () => (await station.command('pause')).code === 0)
  for (let n = 0; n < 12; n += 1) await writeRandomFile(pathOf(`take-${n}.bin`), 1000 + n, random)
  await waitForJournal(
    station.data,
    'all wait for an upload',
    "SELECT 1 FROM recordings WHERE state = 'ready' GROUP BY state HAVING COUNT(*) = 12",
  )
  const lastPath = (await station.status()).recordings.at(-1)!.path
  expect((await station.command('prioritise', lastPath)).code).toBe(0)
  const linesBefore = agent.lines.length
  expect((await station.command('resume')).code).toBe(0)
  await agent.waitForChange(
    'the prioritised recording is processed',
    (line) => line.path === lastPath && line.state === 'processed',
  )

  const linesWithSession = agent.lines.slice(linesBefore).filter((line) => line.session_id !== null)
  const order = [...new Set(linesWithSession.map((line) => line.path))]
  // The agent opens two sessions concurrently, and their answers arrive in any order.
  expect(order.slice(0, 2)).toContain(lastPath)
})

test('retry uploads a failed recording in a new session and refuses an unknown path', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('take.bin'), 1000, random)
  expect(await station.runToIdle()).toBe(0)
  // A safe recording cannot be retried.
  const refusal = { code: 1, err: expect.stringContaining('it is processed') }
  expect(await station.command('retry', pathOf('take.bin'))).toMatchObject(refusal)
  expect((await station.command('prioritise', pathOf('take.bin'))).code).toBe(1)
  // Simulate failed processing.
  editJournal(station.data, "UPDATE recordings SET state = 'failed'")
  const [firstSession] = await station.sessions()

  expect((await station.command('retry', pathOf('take.bin'))).code).toBe(0)
  expect(await station.runToIdle()).toBe(0)
  const sessions = (await station.sessions()).map((session) => session.id)
  expect(sessions).toHaveLength(2)
  expect((await station.status()).recordings[0]?.session_id).not.toBe(firstSession?.id)

  const unknownPath = await station.command('retry', pathOf('nothing.bin'))
  expect(unknownPath).toMatchObject({ code: 1, out: '' })
  expect(unknownPath.err).toContain(`The journal has no recording ${pathOf('nothing.bin')}`)
})

test('wrong usage or settings exit with 1 and name each wrong field', async () => {
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
  const withoutJournal = await station.command('status', '--json')
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

test('a run with failures leaks no key and no signed URL to stdout, stderr or logs', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('take.bin'), PART + 1, random)
  await writeRandomFile(pathOf('other.bin'), 1000, random)
  await station.fault(
    { route: 'put_part', effect: { kind: 'expired_url' } },
    { route: 'put_part', after: 1, effect: { kind: 'status', status: 403 } },
    { route: 'put_part', after: 2, effect: { kind: 'drop', when: 'after_body' } },
    { route: 'create', effect: { kind: 'truncated_json' } },
    { route: 'retrieve', effect: { kind: 'negative_part_size' } },
    { route: 'complete', effect: { kind: 'status', status: 500 } },
  )
  const agent = station.agentWith({ keepOutput: true }, '--until-idle')
  await agent.ended
  const statusCommand = new AgentProcess(['status', '--data', station.data], { keepOutput: true })
  await statusCommand.ended

  const logs = readdirSync(path.join(station.data, 'logs')).map((name) =>
    readFileSync(path.join(station.data, 'logs', name), 'utf8'),
  )
  expect(logs.join('')).not.toBe('')
  const allOutput = [agent.stdout, agent.stderr, statusCommand.stdout, statusCommand.stderr, ...logs].join(
    '\n',
  )
  expect(allOutput).toContain('take.bin')
  expect(allOutput).not.toContain(station.sandbox.keys.write)
  expect(allOutput).not.toMatch(/X-Amz-|Signature=/i)
  // The journal does not keep URLs longer than needed either.
  expect(
    readJournal(
      station.data,
      "SELECT p.number FROM parts p JOIN recordings r ON r.id = p.recording_id WHERE r.state = 'processed' AND p.url IS NOT NULL",
    ),
  ).toEqual([])
})
