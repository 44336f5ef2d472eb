import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { DAMAGED_JOURNAL_EXIT } from '../../shared/ipc/agent-protocol.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { editJournal, readJournal, reasonsOf, waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(11)
const pathOf = (name: string) => path.join(station.recordings, name)
const inData = (name: string) => path.join(station.data, name)
const quarantineFolders = () => readdirSync(station.data).filter((name) => name.startsWith('damaged-'))

const record = (name: string, bytes = 1000) => writeRandomFile(pathOf(name), bytes, random)

/** Damages the journal while no agent runs: removes its WAL and overwrites pages. The header stays valid. */
const damage = (): void => {
  for (const suffix of ['-wal', '-shm']) rmSync(inData(`journal.db${suffix}`), { force: true })
  damagePages()
}

const damagePages = (): void => {
  const handle = openSync(inData('journal.db'), 'r+')
  for (let page = 1; page < 40; page += 1) writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096)
  closeSync(handle)
}

/** Damages the journal under a running agent, and makes the agent read it from the disk again. */
const damageWhileRunning = async (child: ChildProcess): Promise<void> => {
  await until('the agent holds no lock', () => {
    child.kill('SIGSTOP')
    const db = new Database(inData('journal.db'), { timeout: 500 })
    try {
      // A commit by another connection invalidates every page in the agent's cache.
      db.exec("INSERT INTO station VALUES ('a commit of a different program', '1')")
      const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      if (checkpoint?.busy === 0) return true
    } catch {
      // The database is locked, because the signal stopped the agent inside a transaction.
    } finally {
      db.close()
    }
    child.kill('SIGCONT')
    return false
  })
  damagePages()
  child.kill('SIGCONT')
}

const runAndKill = async (): Promise<void> => {
  const agent = station.agent()
  await until('all recordings are processed', async () => {
    const status = await station.status().catch(() => null)
    const files = readdirSync(station.recordings).length
    return status?.recordings.length === files && status.recordings.every((row) => row.state === 'processed')
  })
  await agent.kill('SIGKILL')
}

test('Sluice rebuilds a damaged journal without a backup from disk and service, and sends nothing again', async () => {
  station = await Station.open()
  await record('small.bin')
  await record('parts.bin', PART + 1)
  expect(await station.runToIdle()).toBe(0)
  rmSync(inData('journal.backup.db'))
  const partsBefore = await station.partsReceived()
  damage()

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(2)
  expect(await station.partsReceived()).toBe(partsBefore)
  expect(quarantineFolders()).toHaveLength(1)
  expect(readdirSync(inData(quarantineFolders()[0]!))).toContain('journal.db')
})

test('an empty journal file counts as damage, not as a first start', async () => {
  station = await Station.open()
  await record('take.bin')
  expect(await station.runToIdle()).toBe(0)
  rmSync(inData('journal.backup.db'))
  truncateSync(inData('journal.db'), 0)

  const status = await station.sluice('status', '--json')
  expect(status.code).toBe(1)
  expect(await station.runToIdle()).toBe(0)

  expect(await station.sessions()).toHaveLength(1)
  expect(reasonsOf(station.data, pathOf('take.bin'))).toContain('found its session at the service')
  expect(quarantineFolders()).toHaveLength(1)
})

test('after a rebuild, the agent sends only the rest of a partly sent recording, into the same session', async () => {
  station = await Station.open(['--md5-etags'])
  await record('take.bin', 2 * PART)
  const longDelay = { kind: 'latency', ms: 600_000 }
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1000, effect: longDelay })
  const agent = station.agent()
  await waitForJournal(
    station.data,
    'part 1 is sent',
    'SELECT 1 FROM parts WHERE number = 1 AND etag IS NOT NULL',
  )
  await agent.kill()
  await station.sandbox.control('DELETE', '/faults')
  damage()

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(Object.values((await station.stats()).parts)).toEqual([{ 1: 1, 2: 1 }])
})

test('if the journal is damaged, Sluice restores the last backup, and does not repeat later uploads', async () => {
  station = await Station.open()
  await record('before.bin')
  expect(await station.runToIdle()).toBe(0)
  const pausedAgent = station.agent()
  await until('the agent runs', async () => (await station.sluice('pause')).code === 0)
  // In the backup that the agent makes when it ends, this recording is hashed, but has no session yet.
  await record('between.bin')
  await waitForJournal(
    station.data,
    'the recording is hashed',
    `SELECT 1 FROM recordings WHERE state = 'ready'`,
  )
  await pausedAgent.kill('SIGTERM')
  expect(existsSync(inData('journal.backup.db'))).toBe(true)
  expect((await station.sluice('resume')).code).toBe(0)
  await record('after.bin')
  await runAndKill()
  const partsBefore = await station.partsReceived()
  damage()

  const agent = station.agent('--until-idle')
  // In the backup, the station is still paused.
  await until('the agent accepts the resume command', async () => (await station.sluice('resume')).code === 0)
  expect(await agent.ended).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(3)
  expect(await station.partsReceived()).toBe(partsBefore)
})

test('files in a folder that was offline during the rebuild are not uploaded again', async () => {
  station = await Station.open()
  const drive = path.join(station.root, 'drive')
  const folder = { site: 'lab', settle_seconds: 0.3 }
  station.configure({
    rest: {
      folders: [
        { path: station.recordings, ...folder },
        { path: drive, ...folder },
      ],
    },
  })
  mkdirSync(drive)
  await record('here.bin')
  await writeRandomFile(path.join(drive, 'there.bin'), 1000, random)
  expect(await station.runToIdle()).toBe(0)
  rmSync(inData('journal.backup.db'))
  damage()
  renameSync(drive, `${drive}-away`)
  expect(await station.runToIdle()).toBe(2)

  renameSync(`${drive}-away`, drive)
  expect(await station.runToIdle()).toBe(0)

  expect(await station.sessions()).toHaveLength(2)
  expect((await station.status()).recordings).toHaveLength(2)
})

test('after damage at run time, the agent exits with 3 and asks for a restart, which repairs the journal', async () => {
  station = await Station.open()
  await record('take.bin')
  expect(await station.runToIdle()).toBe(0)
  const partsBefore = await station.partsReceived()
  const agent = station.agent()
  await until(
    'the agent has scanned again',
    () => readFileSync(inData('logs/sluice.log'), 'utf8').split('folder scanned').length > 2,
  )

  await damageWhileRunning(agent.child)

  expect(await agent.ended).toBe(3)
  expect(agent.stderr).toContain('The journal is damaged. Start the agent again')
  // The damage did not overwrite the good backup.
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
  expect(await station.partsReceived()).toBe(partsBefore)
  expect(quarantineFolders()).toHaveLength(1)
})

test('if the agent of the desktop app finds damage in the journal, it exits with 3, so that the supervisor restarts it', async () => {
  station = await Station.open()
  await record('take.bin')
  const first = await HostedAgent.start(station)
  await first.waitForState('take.bin', 'processed')
  const exit = once(first.child, 'exit')

  await damageWhileRunning(first.child)

  expect(await exit).toEqual([DAMAGED_JOURNAL_EXIT, null])
  const second = await HostedAgent.start(station)
  try {
    await second.waitForState('take.bin', 'processed')
  } finally {
    await second.stop()
  }
  expect(await station.sessions()).toHaveLength(1)
})

test('if the quick check misses the damage, the agent exits with 3 once, and the next start repairs the journal', async () => {
  station = await Station.open()
  await record('take.bin')
  expect(await station.runToIdle()).toBe(0)
  rmSync(inData('journal.backup.db'))
  const index = 'recordings_by_changed'
  const db = new Database(inData('journal.db'))
  db.unsafeMode()
  db.pragma('writable_schema = ON')
  const [entry] = db.prepare('SELECT * FROM sqlite_master WHERE name = ?').all(index) as {
    rootpage: number
    sql: string
  }[]
  db.prepare('DELETE FROM sqlite_master WHERE name = ?').run(index)
  db.close()
  // Changes a row without updating the index.
  editJournal(station.data, "UPDATE recordings SET changed_at = 1, state = 'ready', session_id = NULL")
  const reopened = new Database(inData('journal.db'))
  reopened.unsafeMode()
  reopened.pragma('writable_schema = ON')
  reopened
    .prepare("INSERT INTO sqlite_master VALUES ('index', ?, 'recordings', ?, ?)")
    .run(index, entry?.rootpage, entry?.sql)
  reopened.close()

  expect(await station.agent('--until-idle').ended).toBe(3)
  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
  expect(quarantineFolders()).toHaveLength(1)
})

test('a journal of a newer version is refused and unchanged', async () => {
  station = await Station.open()
  await record('take.bin')
  expect(await station.runToIdle()).toBe(0)
  const db = new Database(inData('journal.db'))
  db.pragma('user_version = 99')
  db.close()

  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(1)
  expect(agent.stderr).toContain('written by a newer Sluice')
  expect((await station.sluice('status', '--json')).code).toBe(1)
  expect(quarantineFolders()).toEqual([])
  expect(readJournal(station.data, 'SELECT COUNT(*) AS n FROM recordings')).toEqual([{ n: 1 }])
})
