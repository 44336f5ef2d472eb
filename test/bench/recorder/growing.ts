import { renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Station } from '../../support/station.ts'
import type { Bench } from '../figure.ts'
import { record } from './record.ts'

/**
 * From the last byte recorded to the first part accepted, beyond the settle time. A recording is written into the
 * watched folder at 100 MB/s; for the reference it is written beside it and moved there at its end, so that all of
 * it is still to be hashed. SLUICE_BENCH_RECORDING_MB sets the size, TMPDIR the drive.
 */

const MEGABYTES = Number(process.env.SLUICE_BENCH_RECORDING_MB ?? 1_000)
const RATE = Number(process.env.SLUICE_BENCH_RATE ?? 100)
const SETTLE_SECONDS = 2

export const benchGrowing: Bench = async () => {
  const station = await Station.open()
  station.configure({ folder: { settle_seconds: SETTLE_SECONDS, part_size_bytes: 64 * 1024 ** 2 } })
  const aside = path.join(station.root, 'aside.bin')
  try {
    const alone = await record(aside, { megabytes: MEGABYTES, rate: RATE })
    rmSync(aside)
    const agent = station.agent()
    const first = path.join(station.recordings, 'first.bin')
    writeFileSync(first, 'the agent is up')
    await agent.saw('the agent is up', (change) => change.path === first && change.state === 'processed')
    const firstPart = async (file: string, endedAtMs: number): Promise<number> => {
      const line = await agent.saw(
        'the first part is accepted',
        (change) => change.path === file && change.bytes_sent > 0,
        3_600_000,
      )
      return (Date.parse(line.at) - endedAtMs) / 1000 - SETTLE_SECONDS
    }
    const watched = path.join(station.recordings, 'watched.bin')
    const beside = await record(watched, { megabytes: MEGABYTES, rate: RATE })
    const oursS = await firstPart(watched, beside.endedAtMs)
    await agent.saw(
      'it is processed',
      (change) => change.path === watched && change.state === 'processed',
      3_600_000,
    )
    rmSync(watched)
    await record(aside, { megabytes: MEGABYTES, rate: RATE })
    const moved = path.join(station.recordings, 'moved.bin')
    renameSync(aside, moved)
    const referenceS = await firstPart(moved, Date.now())
    return [
      {
        what: `end of a recording of ${MEGABYTES / 1000} GB to its first part accepted, beyond the settle time`,
        unit: 's',
        ours: [oursS],
        reference: { name: 'all of it hashed at its end', values: [referenceS] },
        goal: { kind: 'own', atMost: 2 },
      },
      {
        what: 'the recorder beside the agent that hashes what it writes',
        unit: 'MB/s',
        ours: [beside.megabytesPerSecond],
        reference: { name: 'the recorder alone', values: [alone.megabytesPerSecond] },
        goal: { kind: 'times-the-reference', atLeast: 0.95 },
      },
    ]
  } finally {
    await station.close()
  }
}
