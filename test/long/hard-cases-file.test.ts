import {
  appendFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { editJournal, readJournal, waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, type RecordingReport, Station, sha256OfFile } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(6)
const otherFolder = () => path.join(station.root, 'other')
const fileOf = (name: string) => path.join(station.recordings, name)

/** Changes of a file by users and programs. Each returns the file's path after the change, or null if it is gone. */
const changes = {
  changed: (file: string) => {
    appendFileSync(file, 'more')
    return file
  },
  replaced: (file: string) => {
    writeFileSync(`${file}.tmp`, 'something else entirely')
    renameSync(`${file}.tmp`, file)
    return file
  },
  truncated: (file: string) => {
    truncateSync(file, 1234)
    return file
  },
  renamed: (file: string) => {
    renameSync(file, `${file}.renamed`)
    return `${file}.renamed`
  },
  moved: (file: string) => {
    const to = path.join(otherFolder(), path.basename(file))
    renameSync(file, to)
    return to
  },
  deleted: (file: string) => {
    rmSync(file)
    return null
  },
} as const

type Change = keyof typeof changes
const changeNames = Object.keys(changes) as Change[]

/** Larger than the truncated file, but a single part. */
const SMALL = 100_000
const TWO_PARTS = PART + 1000

const openStation = async (
  flags: readonly string[],
  settleSeconds: number,
  sizeBytes = TWO_PARTS,
): Promise<void> => {
  station = await Station.open(flags)
  mkdirSync(otherFolder())
  const folder = { site: 'lab', settle_seconds: settleSeconds, part_size_bytes: PART }
  station.configure({
    rest: {
      folders: [
        { path: station.recordings, ...folder },
        { path: otherFolder(), ...folder },
      ],
      transfer: { parallel_recordings: 8, parallel_parts: 8 },
    },
  })
  for (const name of changeNames) await writeRandomFile(fileOf(name), sizeBytes, random)
}

const waitUntilAllAre = (state: string) =>
  waitForJournal(
    station.data,
    `all are ${state}`,
    'SELECT 1 FROM recordings WHERE state = ? GROUP BY state HAVING COUNT(*) = ?',
    state,
    changeNames.length,
  )

/**
 * Expects every existing file to be processed with its current bytes, and the deleted file to end in the given state.
 */
const expectEachSafe = async (after: Record<Change, string | null>, deletedEndsAs: string): Promise<void> => {
  const { recordings } = await station.status()
  const problems: string[] = []
  for (const change of changeNames) {
    const file = after[change]
    const rows: RecordingReport[] = recordings.filter((row) => row.path === (file ?? fileOf(change)))
    if (file === null) {
      expect
        .soft(
          rows.map((row) => row.state),
          change,
        )
        .toEqual([deletedEndsAs])
      continue
    }
    // A renamed or moved file stays the same recording. Sluice neither reports it as vanished nor adds it again.
    if (file !== fileOf(change)) {
      expect.soft(rows, change).toHaveLength(1)
      expect.soft(recordings, change).not.toContainEqual(expect.objectContaining({ path: fileOf(change) }))
    }
    const sha256 = await sha256OfFile(file)
    const safe = rows.find((row) => row.sha256 === sha256 && row.state === 'processed')
    if (safe?.session_id == null)
      problems.push(`${change}: ${JSON.stringify(rows.map((row) => [row.state, row.problem?.code]))}`)
    else expect.soft((await station.stored(safe.session_id)).sha256, change).toBe(sha256)
  }
  expect(problems).toEqual([])
}

const changeAll = (): Record<Change, string | null> => {
  const after = {} as Record<Change, string | null>
  for (const change of changeNames) after[change] = changes[change](fileOf(change))
  return after
}

test('hard case 6: Sluice handles a file that is changed, replaced, truncated, renamed, moved or deleted while growing', async () => {
  await openStation([], 5, SMALL)
  const agent = station.agent('--until-idle')
  await waitUntilAllAre('growing')
  const after = changeAll()

  expect(await agent.ended).toBe(2)

  await expectEachSafe(after, 'gone')
  expect(await station.sessions()).toHaveLength(5)
})

test('hard case 6b: Sluice handles the same changes of a queued file, made while the agent is stopped', async () => {
  await openStation([], 5, SMALL)
  const agent = station.agent()
  await waitUntilAllAre('growing')
  await agent.kill()
  editJournal(station.data, "UPDATE recordings SET state = 'queued'")
  const after = changeAll()
  station.configure({
    rest: {
      folders: [station.recordings, otherFolder()].map((folder) => ({
        path: folder,
        site: 'lab',
        settle_seconds: 0.3,
        part_size_bytes: PART,
      })),
    },
  })

  expect(await station.runToIdle()).toBe(2)

  await expectEachSafe(after, 'gone')
  expect(await station.sessions()).toHaveLength(5)
})

test('hard case 6c: Sluice handles the same changes during the upload', async () => {
  await openStation([], 0.3)
  await station.fault({ route: 'put_part', count: 8, effect: { kind: 'latency', ms: 20_000 } })
  const agent = station.agent('--until-idle')
  await waitUntilAllAre('uploading')
  const after = changeAll()

  expect(await agent.ended).toBe(2)

  await expectEachSafe(after, 'gone')
  // The vanished recording keeps its session, because the file may return. Sluice deletes sessions of old content.
  const sessions = await station.sessions()
  expect(sessions.filter((session) => session.status === 'processed')).toHaveLength(5)
  expect(sessions).toHaveLength(6)
})

test('hard case 6d: after the same changes during processing, the uploaded content stays, and new content becomes a new recording', async () => {
  await openStation(['--processing-delay', '3600000', '--url-lifetime', '604800'], 0.3)
  const agent = station.agent('--until-idle')
  await waitUntilAllAre('processing')
  const after = changeAll()
  // Nine recordings: six with old content and three with new content. Then an hour passes at the service.
  await waitForJournal(
    station.data,
    'the new content is processing, too',
    "SELECT 1 FROM recordings WHERE state = 'processing' GROUP BY state HAVING COUNT(*) = 9",
  )
  await station.sandbox.control('POST', '/clock', { offset_s: 3_700 })

  expect(await agent.ended).toBe(0)

  await expectEachSafe(after, 'processed')
  expect(await station.sessions()).toHaveLength(9)
})

test('hard case 6e: after the same changes of a processed file, Sluice uploads only new content', async () => {
  await openStation([], 0.3)
  expect(await station.runToIdle()).toBe(0)
  const received = await station.partsReceived()
  const after = changeAll()

  expect(await station.runToIdle()).toBe(0)

  await expectEachSafe(after, 'processed')
  expect(await station.sessions()).toHaveLength(9)
  // The changed file has two parts. The replaced and the truncated file have one part each.
  expect(await station.partsReceived()).toBe(received + 4)
})

test('hard case 6g: a file that grew after its session was opened gets a new part plan', async () => {
  station = await Station.open()
  const file = fileOf('take.bin')
  await writeRandomFile(file, PART + 1000, random)
  const slow = { kind: 'latency', ms: 600_000 }
  await station.fault({ route: 'put_part', count: 1000, effect: slow })
  const agent = station.agent()
  await waitForJournal(
    station.data,
    'the session of the file is open',
    "SELECT 1 FROM recordings WHERE state = 'uploading' AND part_size = ?",
    PART,
  )
  await agent.kill()
  await station.sandbox.control('DELETE', '/faults')
  // The larger part size makes the new part plan differ from the old one.
  station.configure({ folder: { part_size_bytes: 2 * PART } })
  appendFileSync(file, Buffer.alloc(2 * PART))

  expect(await station.runToIdle()).toBe(0)

  await station.expectAllSafe()
  expect(await station.sessions()).toHaveLength(1)
  expect(readJournal(station.data, 'SELECT part_size, parts_total FROM recordings')).toEqual([
    { part_size: 2 * PART, parts_total: 2 },
  ])
})

test('hard case 6f: a vanished file that comes back continues in its session', async () => {
  station = await Station.open()
  const file = fileOf('take.bin')
  await writeRandomFile(file, 2 * PART, random)
  await station.fault({
    route: 'put_part',
    match: { part: 2 },
    count: 1000,
    effect: { kind: 'latency', ms: 600_000 },
  })
  const agent = station.agent()
  await waitForJournal(
    station.data,
    'part 1 is sent',
    'SELECT 1 FROM parts WHERE number = 1 AND etag IS NOT NULL',
  )
  const outside = path.join(station.root, 'aside.bin')
  renameSync(file, outside)
  await waitForJournal(station.data, 'the recording is gone', "SELECT 1 FROM recordings WHERE state = 'gone'")
  expect(readJournal(station.data, 'SELECT problem_code FROM recordings')).toEqual([
    { problem_code: 'file-vanished' },
  ])
  await station.sandbox.control('DELETE', '/faults')
  renameSync(outside, file)
  await agent.waitForChange('processed', (line) => line.state === 'processed')

  expect(existsSync(file)).toBe(true)
  await station.expectAllSafe()
  const [counts] = Object.values((await station.stats()).parts)
  expect(counts?.['1']).toBe(1)
  expect(await station.sessions()).toHaveLength(1)
})
