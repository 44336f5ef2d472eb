import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { editJournal, readJournal, reasonsOf, waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(1)
const DAY_S = 86_400
const loseAnswer = { kind: 'lose_answer' }

const record = async (name: string, bytes: number): Promise<string> => {
  const file = path.join(station.recordings, name)
  await writeRandomFile(file, bytes, random)
  return file
}

/** Kills the agent after the storage has part 1, and before the agent can journal its ETag. */
const killBeforeEtagIsJournaled = async (): Promise<string> => {
  const file = await record('take.bin', PART + 1)
  await station.fault({ route: 'put_part', match: { part: 1 }, count: 1000, effect: loseAnswer })
  const agent = station.agent()
  await until('part 1 is stored', async () =>
    Object.values((await station.stats()).parts).some((counts) => (counts['1'] ?? 0) > 0),
  )
  await agent.kill()
  await station.sandbox.control('DELETE', '/faults')
  expect(
    readJournal(station.data, 'SELECT number FROM parts WHERE number = 1 AND etag IS NULL'),
  ).toHaveLength(1)
  return file
}

test('hard case 1: if a kill loses the ETag of a stored part, Sluice sends the part again to get its ETag', async () => {
  station = await Station.open()
  await killBeforeEtagIsJournaled()
  const before = await station.partsReceived()
  const [session] = await station.sessions()

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(readJournal(station.data, 'SELECT number FROM parts WHERE etag_guessed = 1')).toEqual([])
  expect(await station.partsReceived()).toBeGreaterThan(before)
  expect((await station.sessions()).map(({ id }) => id)).toEqual([session?.id])
})

test('hard case 1b: if the ETag of a stored part is lost and its URL has expired, Sluice uses the MD5 as the ETag', async () => {
  station = await Station.open(['--md5-etags'])
  await killBeforeEtagIsJournaled()
  const { parts } = await station.stats()
  await station.sandbox.control('POST', '/clock', { offset_s: 2 * 3600 })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(readJournal(station.data, 'SELECT number FROM parts WHERE etag_guessed = 1')).toEqual([
    { number: 1 },
  ])
  const [session] = Object.keys(parts)
  expect((await station.stats()).parts[session!]?.['1']).toBe(parts[session!]?.['1'])
})

test('hard case 1c: if the service refuses the guessed ETag, Sluice creates a new session and deletes the old one', async () => {
  station = await Station.open()
  const file = await killBeforeEtagIsJournaled()
  const [old] = await station.sessions()
  await station.sandbox.control('POST', '/clock', { offset_s: 2 * 3600 })
  await station.fault({ route: 'complete', effect: { kind: 'status', status: 409, code: 'etag_unknown' } })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  const sessions = await station.sessions()
  expect(sessions).toHaveLength(1)
  expect(sessions[0]?.id).not.toBe(old?.id)
  expect(reasonsOf(station.data, file).join('\n')).toContain('could not be recovered; starting a new session')
})

test('hard case 2: after a kill between POST /sessions and its answer, the same key gives the same session', async () => {
  station = await Station.open()
  await record('take.bin', 1000)
  await station.fault({ route: 'create', count: 1000, effect: loseAnswer })
  const agent = station.agent()
  const [created] = await until('the session is created', async () => {
    const sessions = await station.sessions()
    return sessions.length > 0 && sessions
  })
  await agent.kill()
  await station.sandbox.control('DELETE', '/faults')
  expect(readJournal(station.data, 'SELECT id FROM recordings WHERE session_id IS NULL')).toHaveLength(1)
  const { list = 0 } = (await station.stats()).routes

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect((await station.sessions()).map((session) => session.id)).toEqual([created?.id])
  expect(reasonsOf(station.data, path.join(station.recordings, 'take.bin'))).toContain('session created')
  // This test itself has sent two list requests since `list`, so the agent has sent none.
  expect((await station.stats()).routes.list).toBeLessThanOrEqual(list + 2)
})

for (const [clock, offsetDays] of [
  ['right', 0],
  ['three days ahead', -3],
  ['three days behind', 3],
] as const)
  test(`hard case 2b: after 24 hours, Sluice finds the session in the list and adopts it (PC clock ${clock})`, async () => {
    station = await Station.open()
    await station.sandbox.control('POST', '/clock', { offset_s: offsetDays * DAY_S })
    const file = await record('take.bin', 1000)
    await station.fault({ route: 'create', count: 1000, effect: loseAnswer })
    const agent = station.agent()
    await until('the session is created', async () => (await station.sessions()).length > 0)
    await agent.kill()
    await station.sandbox.control('DELETE', '/faults')
    // In the journal, the request is now 25 hours old, so its key counts as expired. The clock of the service advances
    // only 10 seconds.
    editJournal(
      station.data,
      'UPDATE recordings SET create_key_at = create_key_at - ?, next_attempt_at = 0',
      25 * 3_600_000,
    )
    await station.sandbox.control('POST', '/clock', { offset_s: offsetDays * DAY_S + 10 })

    expect(await station.runToIdle()).toBe(0)

    await station.expectAllSafe()
    expect(await station.sessions()).toHaveLength(1)
    expect(reasonsOf(station.data, file)).toContain('found its session at the service')
  })

test('hard case 2e: Sluice finds the session in the list although the clock of the PC is three days ahead', async () => {
  station = await Station.open(['--processing-delay', '3600000'])
  const behind = -3 * DAY_S
  await station.sandbox.control('POST', '/clock', { offset_s: behind })
  const first = station.agent()
  await record('followed.bin', 1000)
  await first.waitForChange('a session is polled', (line) => line.state === 'processing')
  await station.fault({ route: 'create', count: 1000, effect: loseAnswer })
  const file = await record('take.bin', 2000)
  await until('the session is created', async () => (await station.sessions()).length === 2)
  await first.kill()
  await station.sandbox.control('DELETE', '/faults')
  const expired = 25 * 3_600_000
  editJournal(
    station.data,
    'UPDATE recordings SET create_key_at = create_key_at - ?, next_attempt_at = 0',
    expired,
  )
  expect((await station.command('pause')).code).toBe(0)
  const { retrieve = 0 } = (await station.stats()).routes
  const agent = station.agent('--until-idle')
  // After the second answer about the polled session, the agent has certainly read the first one.
  await until(
    'the service has sent its time',
    async () => ((await station.stats()).routes.retrieve ?? 0) > retrieve + 1,
  )
  expect((await station.command('resume')).code).toBe(0)
  await waitForJournal(
    station.data,
    'both recordings are being processed',
    'SELECT 1 FROM recordings WHERE state = ? GROUP BY state HAVING COUNT(*) = 2',
    'processing',
  )
  await station.sandbox.control('POST', '/clock', { offset_s: behind + 3_700 })

  expect(await agent.ended).toBe(0)
  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(2)
  expect(reasonsOf(station.data, file)).toContain('found its session at the service')
})

test('hard case 2c: while the service still works on the first POST, Sluice retries with the same key and creates no second session', async () => {
  station = await Station.open()
  const file = await record('take.bin', 1000)
  const effect = { kind: 'status', status: 409, code: 'idempotency_in_progress' }
  await station.fault({ route: 'create', count: 1, effect })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(reasonsOf(station.data, file)).toContain('session created')
  // The first probe and this test sent these list requests, so the agent did not search the list.
  expect((await station.stats()).routes.list).toBe(2)
})

for (const isKilled of [false, true])
  test(`hard case 2d: no session stays behind if the answer to the creation is lost and the file then changes${isKilled ? ' and the agent is killed' : ''}`, async () => {
    station = await Station.open()
    const file = await record('take.bin', 1000)
    await station.fault({ route: 'create', count: 1000, effect: loseAnswer })
    let agent = station.agent('--until-idle')
    const [created] = await until('the session is created', async () => {
      const sessions = await station.sessions()
      return sessions.length > 0 && sessions
    })
    await waitForJournal(station.data, 'no answer came', 'SELECT 1 FROM recordings WHERE attempts > 0')
    appendFileSync(file, 'more')
    await waitForJournal(
      station.data,
      'the new content is hashed, and the journal keeps the old request',
      'SELECT 1 FROM recordings, unsettled_creations WHERE bytes = 1004',
    )
    if (isKilled) {
      await agent.kill()
      agent = station.agent('--until-idle')
    }
    await station.sandbox.control('DELETE', '/faults')

    expect(await agent.ended).toBe(0)

    await station.expectAllSafe()
    const sessions = await station.sessions()
    expect(sessions).toHaveLength(1)
    expect(sessions[0]?.id).not.toBe(created?.id)
  })

test('hard case 3: if the answer to the completion was lost, Sluice reads the session and completes nothing twice', async () => {
  station = await Station.open()
  const file = await record('take.bin', 1000)
  await station.fault({ route: 'complete', effect: loseAnswer })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect((await station.stats()).routes.complete).toBe(1)
  expect(reasonsOf(station.data, file)).toContain('the session was already complete')
})

test('hard case 3b: if a repeated completion gets 409, Sluice reads the session and finds it complete', async () => {
  station = await Station.open()
  const file = await record('take.bin', 1000)
  await station.fault({ route: 'complete', count: 1000, effect: loseAnswer })
  const agent = station.agent()
  await until('completed at the service', async () =>
    (await station.sessions()).some((session) => session.status !== 'uploading'),
  )
  await agent.kill()
  await station.sandbox.control('DELETE', '/faults')
  await station.sandbox.control('POST', '/clock', { offset_s: 25 * 3600 })

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
  expect(reasonsOf(station.data, file)).toContain('the session was already complete')
})
