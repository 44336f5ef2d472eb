import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type AgentProcess, Station } from '../../support/station.ts'
import { type Bench, type Figure, type Missing, measureMs } from '../figure.ts'
import { onDisk } from '../on-disk.ts'
import { hasRclone, startRclone } from '../rclone.ts'
import { record } from './record.ts'

/**
 * Measures the time from the last recorded byte to the first accepted part and to `processing`, without the settle
 * time. The recorder writes into the watched folder at 100 MB/s. The first reference is a finished file that is moved
 * into the watched folder, so the agent has hashed nothing of it. The second reference is rclone, which starts when the
 * file is finished. SLUICE_BENCH_RECORDING_MB sets the size, SLUICE_BENCH_RATE the rate in MB/s. If the recording is
 * larger than 2 GB, the bench keeps its files on disk and not in memory.
 */

const MEGABYTES_PER_SECOND = Number(process.env.SLUICE_BENCH_RATE ?? 100)
const SETTLE_SECONDS = 2
const TIMEOUT_MS = 3_600_000
const MAX_MEGABYTES_IN_MEMORY = 2_000

type Seconds = { readonly firstPart: number; readonly processing: number }

const secondsAfter = async (agent: AgentProcess, file: string, endedAtMs: number): Promise<Seconds> => {
  const after = (line: { readonly at: string }) => (Date.parse(line.at) - endedAtMs) / 1000 - SETTLE_SECONDS
  const first = await agent.waitForChange(
    'the first part is accepted',
    (change) => change.path === file && change.bytes_sent > 0,
    TIMEOUT_MS,
  )
  const whole = await agent.waitForChange(
    'the service has the whole recording',
    (change) => change.path === file && (change.state === 'processing' || change.state === 'processed'),
    TIMEOUT_MS,
  )
  return { firstPart: after(first), processing: after(whole) }
}

const rcloneSeconds = async (station: Station, folder: string): Promise<number | null> => {
  if (!hasRclone()) return null
  const copied = path.join(station.root, 'rcloned')
  mkdirSync(copied)
  const rclone = await startRclone(copied)
  try {
    return (await measureMs(() => rclone.copy(folder))) / 1000
  } finally {
    await rclone.stop()
    rmSync(copied, { recursive: true })
  }
}

export const benchGrowing: Bench = (sizes) =>
  sizes.grownMegabytes > MAX_MEGABYTES_IN_MEMORY ? onDisk(() => recordAndSend(sizes)) : recordAndSend(sizes)

const recordAndSend: Bench = async ({ grownMegabytes }) => {
  const station = await Station.open()
  station.configure({ folder: { settle_seconds: SETTLE_SECONDS, part_size_bytes: 64 * 1024 ** 2 } })
  const otherFolder = path.join(station.root, 'beside')
  const unwatched = path.join(otherFolder, 'unwatched.bin')
  const recording = { megabytes: grownMegabytes, rate: MEGABYTES_PER_SECOND }
  try {
    mkdirSync(otherFolder)
    const alone = await record(unwatched, recording)
    const rcloneS = await rcloneSeconds(station, otherFolder)
    rmSync(unwatched)
    const agent = station.agent()
    const first = path.join(station.recordings, 'first.bin')
    writeFileSync(first, 'the agent is up')
    await agent.waitForChange(
      'the agent is up',
      (change) => change.path === first && change.state === 'processed',
    )
    const watched = path.join(station.recordings, 'watched.bin')
    const recorded = await record(watched, recording)
    const ours = await secondsAfter(agent, watched, recorded.endedAtMs)
    rmSync(watched)
    await record(unwatched, recording)
    const moved = path.join(station.recordings, 'moved.bin')
    renameSync(unwatched, moved)
    const withoutEarlyHash = await secondsAfter(agent, moved, Date.now())
    const end = `from the end of a recording of ${grownMegabytes / 1000} GB`
    const hashedAtItsEnd = (seconds: number): Figure['reference'] => ({
      name: 'the whole file hashed at the end',
      values: [seconds],
    })
    const toProcessing = `${end} to processing, without the settle time`
    const rcloneFigure: Figure | Missing =
      rcloneS === null
        ? { what: `${toProcessing}, beside rclone`, missing: 'rclone' }
        : {
            what: toProcessing,
            unit: 's',
            ours: [ours.processing],
            reference: { name: 'rclone copy, started at the end', values: [rcloneS] },
            goal: { kind: 'none' },
          }
    return [
      {
        what: `${end} to the first accepted part, without the settle time`,
        unit: 's',
        ours: [ours.firstPart],
        reference: hashedAtItsEnd(withoutEarlyHash.firstPart),
        goal: { kind: 'own', atMost: 2 },
      },
      {
        what: toProcessing,
        unit: 's',
        ours: [ours.processing],
        reference: hashedAtItsEnd(withoutEarlyHash.processing),
        goal: { kind: 'none' },
      },
      rcloneFigure,
      {
        what: 'a recorder beside an agent that hashes the growing recording',
        unit: 'MB/s',
        ours: [recorded.megabytesPerSecond],
        reference: { name: 'the recorder alone', values: [alone.megabytesPerSecond] },
        goal: { kind: 'times-the-reference', atLeast: 0.95 },
      },
    ]
  } finally {
    await station.close()
  }
}
