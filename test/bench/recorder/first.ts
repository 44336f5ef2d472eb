import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Station, until } from '../../support/station.ts'
import type { Bench } from '../figure.ts'
import { isInMemory, onDisk } from '../on-disk.ts'
import { record } from './record.ts'

/**
 * What a recorder loses that writes as fast as the drive takes it, while the agent hashes a backlog from the same
 * drive and the recording itself. Rounds with the agent and with the agent stopped take turns. Then what the agent
 * reads of the backlog beside the recorder, and once it has ended. Linux only: it is the kernel that counts.
 */

/** The service is of no matter here, and must not write to the drive. */
const NOBODY = { base_url: 'http://127.0.0.1:9' }

const fetchedMb = (pid: number): number =>
  Number(/^read_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0) / 1e6

const evict = (file: string): void => {
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
}

/** Megabytes a second that a process fetches from the drive while the work goes on. */
const fetching = async <T>(pid: number, work: () => Promise<T>): Promise<{ made: T; mbPerS: number }> => {
  const [beforeMb, beforeMs] = [fetchedMb(pid), performance.now()]
  const made = await work()
  return { made, mbPerS: ((fetchedMb(pid) - beforeMb) * 1000) / (performance.now() - beforeMs) }
}

const bench: Bench = async ({ backlogFiles, backlogFileMegabytes, recordedMegabytes, longRounds }) => {
  const station = await Station.open()
  station.configure({ service: NOBODY, folder: { settle_seconds: 1 } })
  try {
    for (let n = 0; n < backlogFiles; n += 1) {
      const file = path.join(station.recordings, `backlog-${n}.bin`)
      await record(file, { megabytes: backlogFileMegabytes, sync: 64 })
      evict(file)
    }
    const agent = station.agent()
    const pid = agent.child.pid!
    await until('the backlog is being read', () => fetchedMb(pid) > 50)
    const recording = { megabytes: recordedMegabytes, sync: 32 }
    const alone: number[] = []
    const beside: number[] = []
    const gentle: number[] = []
    for (let round = 0; round < longRounds; round += 1) {
      const file = path.join(station.recordings, `take-${round}.bin`)
      agent.child.kill('SIGSTOP')
      alone.push((await record(file, recording)).megabytesPerSecond)
      rmSync(file)
      agent.child.kill('SIGCONT')
      const { made, mbPerS } = await fetching(pid, () => record(file, recording))
      beside.push(made.megabytesPerSecond)
      gentle.push(mbPerS)
      rmSync(file)
    }
    // Seconds, until it is noticed that nobody writes any more.
    await sleep(5_000)
    const free = await fetching(pid, () => sleep(5_000))
    return [
      {
        what: 'a recorder at full speed beside a backlog being hashed',
        unit: 'MB/s',
        ours: beside,
        reference: { name: 'the recorder alone', values: alone },
        goal: { kind: 'times-the-reference', atLeast: 0.95 },
      },
      {
        what: 'the backlog read beside the recorder',
        unit: 'MB/s',
        ours: gentle,
        reference: { name: 'seconds after its end', values: gentle.map(() => free.mbPerS) },
        goal: { kind: 'none' },
      },
    ]
  } finally {
    await station.close()
  }
}

export const benchRecorderFirst: Bench = (sizes) =>
  onDisk(async () => {
    const what = 'a recorder at full speed beside a backlog being hashed'
    if (process.platform !== 'linux') return [{ what, missing: 'Linux' }]
    if (isInMemory(tmpdir()))
      return [{ what, missing: 'a drive under the temporary folder (TMPDIR names another)' }]
    return bench(sizes)
  })
