import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Station, until } from '../../support/station.ts'
import type { Bench } from '../figure.ts'
import { isInMemory, onDisk } from '../on-disk.ts'
import { record } from './record.ts'

/**
 * Measures how much the agent slows down a recorder that writes as fast as the drive allows. Meanwhile the agent hashes
 * a backlog from the same drive. Rounds with a suspended agent alternate with rounds with a running agent. Also
 * measures how soon the agent reads at half of its full speed after the recorder ends. Only Linux counts the bytes that
 * a process reads. The recorder overwrites an existing file, because the time to allocate a new file varies by a factor
 * of four.
 */

const WHAT = 'a recorder at full speed beside a backlog being hashed'

/** The bench needs no service, and a service on this PC would write to the measured drive. */
const UNREACHABLE_SERVICE = { base_url: 'http://127.0.0.1:9' }

const totalReadMb = (pid: number): number =>
  Number(/^read_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0) / 1e6

const SAMPLE_MS = 250
const TIMEOUT_MS = 20_000

const evict = (file: string): void => {
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
}

/** Megabytes per second that a process reads from the drive during the work. */
const measureReads = async <T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ result: T; mbPerS: number }> => {
  const [beforeMb, beforeMs] = [totalReadMb(pid), performance.now()]
  const result = await work()
  return { result, mbPerS: ((totalReadMb(pid) - beforeMb) * 1000) / (performance.now() - beforeMs) }
}

/** Seconds until the process reads at least at half of the full speed. Null after the timeout. */
const secondsUntilHalfSpeed = async (pid: number, mbPerS: number): Promise<number | null> => {
  const startedMs = performance.now()
  for (;;) {
    const sinceMs = performance.now() - startedMs
    if (sinceMs > TIMEOUT_MS) return null
    const now = await measureReads(pid, () => sleep(SAMPLE_MS))
    if (now.mbPerS >= mbPerS / 2) return sinceMs / 1000
  }
}

const bench: Bench = async ({ backlogFiles, backlogFileMegabytes, recordedMegabytes, longRounds }) => {
  const station = await Station.open()
  station.configure({ service: UNREACHABLE_SERVICE, folder: { settle_seconds: 1 } })
  try {
    const take = path.join(station.recordings, 'take.bin')
    const recording = { megabytes: recordedMegabytes, sync: 32 }
    await record(take, recording)
    for (let n = 0; n < backlogFiles; n += 1) {
      const file = path.join(station.recordings, `backlog-${n}.bin`)
      await record(file, { megabytes: backlogFileMegabytes, sync: 64 })
      evict(file)
    }
    const agent = station.agent()
    const pid = agent.child.pid!
    await until('the backlog is being read', () => totalReadMb(pid) > 50)
    const fullSpeed = await measureReads(pid, () => sleep(SAMPLE_MS))
    const recorderAlone: number[] = []
    const recorderBesideAgent: number[] = []
    const readsBesideRecorder: number[] = []
    const secondsToHalfSpeed: number[] = []
    for (let round = 0; round < longRounds; round += 1) {
      agent.child.kill('SIGSTOP')
      recorderAlone.push((await record(take, { ...recording, overwrite: true })).megabytesPerSecond)
      agent.child.kill('SIGCONT')
      // The agent notices the recorder's writes and slows down. The bench waits until the agent reads faster again.
      if ((await secondsUntilHalfSpeed(pid, fullSpeed.mbPerS)) === null) break
      const { result, mbPerS } = await measureReads(pid, () =>
        record(take, { ...recording, overwrite: true }),
      )
      recorderBesideAgent.push(result.megabytesPerSecond)
      readsBesideRecorder.push(mbPerS)
      const seconds = await secondsUntilHalfSpeed(pid, fullSpeed.mbPerS)
      if (seconds === null) break
      secondsToHalfSpeed.push(seconds)
    }
    if (secondsToHalfSpeed.length === 0)
      return [{ what: WHAT, missing: 'a larger backlog, or a drive without other writers' }]
    return [
      {
        what: WHAT,
        unit: 'MB/s',
        ours: recorderBesideAgent,
        reference: { name: 'the recorder alone', values: recorderAlone },
        goal: { kind: 'times-the-reference', atLeast: 0.95 },
      },
      {
        what: 'reading of the backlog beside the recorder',
        unit: 'MB/s',
        ours: readsBesideRecorder,
        reference: { name: 'without a recorder', values: readsBesideRecorder.map(() => fullSpeed.mbPerS) },
        goal: { kind: 'none' },
      },
      {
        what: 'from the end of the recorder until the agent reads at half of its full speed',
        unit: 's',
        ours: secondsToHalfSpeed,
        reference: null,
        goal: { kind: 'own', atMost: 5 },
      },
    ]
  } finally {
    await station.close()
  }
}

export const benchRecorderPriority: Bench = (sizes) =>
  onDisk(async () => {
    if (process.platform !== 'linux') return [{ what: WHAT, missing: 'Linux' }]
    if (isInMemory(tmpdir()))
      return [{ what: WHAT, missing: 'a temporary folder on a drive (TMPDIR sets the folder)' }]
    return bench(sizes)
  })
