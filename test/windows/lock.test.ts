import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { type Need, needs } from '../support/needs.ts'
import { seeded } from '../support/seeded.ts'
import { type AgentProcess, type ChangeLine, PART, Station, sha256OfFile } from '../support/station.ts'
import { lockFile } from './locked-file.ts'

const SETTLE_S = 8

/** Wine's Restart Manager always answers that no process has a file open. */
const visibleWriters: Need = () =>
  process.env.SLUICE_WINE === undefined
    ? null
    : 'Windows itself, because Wine does not report who has a file open'

let station: Station
let release: (() => void) | null = null
afterEach(() => {
  release?.()
  release = null
  return station.close()
})

const fileOf = (name: string) => path.join(station.recordings, name)
const waitForAttempts = (attempts: number) =>
  waitForJournal(
    station.data,
    `the recording has ${attempts} attempts`,
    'SELECT 1 FROM recordings WHERE attempts >= ?',
    attempts,
  )

const lock = (file: string) => {
  const unlock = lockFile(file)
  release = unlock
  return () => {
    release = null
    unlock()
  }
}

test('uploads a recording that was locked when Sluice found it, as soon as the lock is released', async () => {
  station = await Station.open()
  const file = fileOf('take.bin')
  await writeRandomFile(file, PART + 5, seeded(1))
  const unlock = lock(file)
  await writeRandomFile(fileOf('beside.bin'), 500, seeded(2))
  const agent = station.agent('--until-idle')
  await agent.waitForChange(
    'the unlocked recording is processed',
    ({ path: at, state }) => at === fileOf('beside.bin') && state === 'processed',
  )
  unlock()

  expect(await agent.ended).toBe(0)
  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(2)
})

test('uploads a recording that was locked before the upload of its first part, as soon as the lock is released', async () => {
  station = await Station.open()
  const file = fileOf('take.bin')
  // While the service refuses new sessions, a virus scanner locks the hashed file.
  const unavailable = { kind: 'status', status: 503 }
  await station.fault({ route: 'create', count: 1_000, effect: unavailable })
  await writeRandomFile(file, 2 * PART + 5, seeded(3))
  const agent = station.agent('--until-idle')
  await agent.waitForChange('the recording is hashed', ({ state }) => state === 'ready')
  const unlock = lock(file)
  await station.sandbox.control('DELETE', '/faults')
  await agent.waitForChange(
    'the recording is reported as locked',
    ({ problem }) => problem?.code === 'file-busy',
  )
  await waitForAttempts(4)
  unlock()

  expect(await agent.ended).toBe(0)
  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
})

/** Starts a process that writes half of a file, keeps it open without a lock, and writes the second half on request. */
const writeByHalves = async (file: string) => {
  const writer = spawn(
    process.execPath,
    [
      '-e',
      `const fs = require('node:fs'), file = fs.openSync(process.argv[1], 'w')
       fs.writeSync(file, Buffer.alloc(100_000, 1))
       process.stdout.write('half')
       process.stdin.once('data', () => {
         fs.writeSync(file, Buffer.alloc(100_000, 2))
         fs.closeSync(file)
         process.exit(0)
       })`,
      file,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const ended = once(writer, 'exit')
  await once(writer.stdout, 'data')
  const finish = async () => {
    writer.stdin.write('go on')
    expect(await ended).toEqual([0, null])
  }
  return { finish }
}

const expectWhole = async (agent: AgentProcess, file: string, sessions: number): Promise<void> => {
  const isDone = ({ path: at, state }: ChangeLine) => at === file && state === 'processed'
  const { session_id: session } = await agent.waitForChange('the recording is processed', isDone)
  await agent.kill()
  expect(await station.sessions()).toHaveLength(sessions)
  expect(await station.stored(session!)).toMatchObject({ bytes: 200_000, sha256: await sha256OfFile(file) })
}

test(
  'detects a writer without a lock, and uploads the recording once, however long the writer pauses',
  needs(visibleWriters),
  async () => {
    station = await Station.open()
    const file = fileOf('growing.bin')
    const { finish } = await writeByHalves(file)
    const agent = station.agent()
    await agent.waitForChange('the recording is found', ({ path: at }) => at === file)
    // When this later recording is processed, the writer has paused longer than the settle time.
    const later = fileOf('later.bin')
    await writeRandomFile(later, 500, seeded(4))
    await agent.waitForChange(
      'the later recording is processed',
      ({ path: at, state }) => at === later && state === 'processed',
    )
    await finish()
    await expectWhole(agent, file, 2)
  },
)

test('uploads a recording once, even if its writer has no lock and pauses longer than the settle time', async () => {
  station = await Station.open()
  station.configure({ folder: { settle_seconds: SETTLE_S } })
  const file = fileOf('growing.bin')
  const { finish } = await writeByHalves(file)
  const agent = station.agent()
  await agent.waitForChange('the recording is found', ({ path: at }) => at === file)
  await sleep(1.5 * SETTLE_S * 1000)
  await finish()
  await expectWhole(agent, file, 1)
})
