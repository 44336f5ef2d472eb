import { execFile } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { HostedAgent } from '../support/hosted-agent.ts'
import { readJournal } from '../support/journal-file.ts'
import { MIB, Station, until } from '../support/station.ts'
import { type Bench, type Figure, interleaved, type Missing, timedMs } from './figure.ts'
import { processorSecondsOf, secondsOfTimes } from './processor-time.ts'
import { hasRclone, startRclone } from './rclone.ts'

/**
 * One recording of 1 GiB on its whole way, from `queued` (the file is finished) to `processing` (the service has all of
 * it): the agent, a script that makes the same calls, and rclone. The sandbox's work is the same for the first two.
 */

const PART_MIB = 64
const BYTES = 1024 * MIB
const GIGABYTES = BYTES / 1e9
const ROUNDS = 5
const SCRIPT = path.join(import.meta.dirname, 'upload-script.sh')

/** No two are the same content, which would be sent once. */
const writeRecording = async (file: string, round: number): Promise<void> => {
  const handle = await open(file, 'w')
  const block = Buffer.alloc(PART_MIB * MIB, `recording ${round} `)
  for (let written = 0; written < BYTES; written += block.length) {
    block.writeUInt32LE(written / MIB)
    await handle.write(block)
  }
  await handle.close()
}

export const benchWholeWay: Bench = async () => {
  if (process.platform !== 'linux') return [{ what: 'the whole way of a recording', missing: 'Linux' }]
  const station = await Station.open(['--processing-delay', '0'])
  station.configure({ folder: { part_size_bytes: PART_MIB * MIB } })
  const agent = await HostedAgent.start(station)
  const staged = path.join(station.root, 'staged')
  const scratch = path.join(station.root, 'scratch')
  const rcloned = path.join(station.root, 'rcloned')
  for (const folder of [staged, scratch, rcloned]) mkdirSync(folder)
  const rclone = hasRclone() ? await startRclone(rcloned) : null
  const pid = agent.child.pid ?? 0
  const cpu = { ours: [] as number[], script: [] as number[] }
  const source = path.join(staged, 'recording.bin')
  let round = 0

  const discard = (sessionId: string) =>
    station.sandbox.api(`/v1/sessions/${sessionId}`, { method: 'DELETE' })

  const ours = async (): Promise<number> => {
    round += 1
    await writeRecording(source, round)
    const name = `take-${round}.bin`
    const before = processorSecondsOf(pid)
    renameSync(source, path.join(station.recordings, name))
    const done = await until(`${name} is at the service`, () => {
      const rows = readJournal<{ state: string; at: number; session: string }>(
        station.data,
        `SELECT to_state AS state, at, session_id AS session FROM timeline JOIN recordings ON recordings.id = recording_id
         WHERE name = '${name}'`,
      )
      const queued = rows.find(({ state }) => state === 'queued')
      const processing = rows.find(({ state }) => state === 'processing')
      return queued && processing && { ms: processing.at - queued.at, session: processing.session }
    })
    cpu.ours.push((processorSecondsOf(pid) - before) / GIGABYTES)
    await until(`${name} is processed`, () => agent.status?.counts.processed === round)
    await discard(done.session)
    renameSync(path.join(station.recordings, name), source)
    return BYTES / 1000 / done.ms
  }

  const script = async (): Promise<number> => {
    let printed = ''
    const ms = await timedMs(async () => {
      const env = { ...process.env, KEY: station.sandbox.keys.write }
      const args = [source, station.sandbox.baseUrl, String(PART_MIB), scratch]
      printed = (await promisify(execFile)(SCRIPT, args, { env })).stdout
    })
    const [session = '', children = ''] = printed.trim().split('\n')
    cpu.script.push(secondsOfTimes(children) / GIGABYTES)
    await discard(session)
    return BYTES / 1000 / ms
  }

  const copied = async (): Promise<number> => {
    const ms = await timedMs(() => rclone!.copy(staged))
    rmSync(path.join(rcloned, 'recording.bin'))
    return BYTES / 1000 / ms
  }

  try {
    await writeFile(path.join(scratch, 'empty'), '')
    const runs = rclone === null ? [ours, script] : [ours, script, copied]
    const [a = [], b = [], c = []] = await interleaved(ROUNDS, runs)
    const what = 'a recording of 1 GiB, from queued to processing'
    const figures: (Figure | Missing)[] = [
      {
        what,
        unit: 'MB/s',
        ours: a,
        reference: { name: 'a script of openssl and curl', values: b },
        goal: { kind: 'times-the-reference', atLeast: 1.1 },
      },
      {
        what: 'processor time of the whole agent for it',
        unit: 's/GB',
        ours: cpu.ours.slice(1),
        reference: { name: 'the script', values: cpu.script.slice(1) },
        goal: { kind: 'times-the-reference', atMost: 1 },
      },
    ]
    if (rclone === null) figures.push({ what: `${what}, beside rclone`, missing: 'rclone' })
    else
      figures.push({
        what,
        unit: 'MB/s',
        ours: a,
        reference: { name: 'rclone copy --checksum to its WebDAV server', values: c },
        goal: { kind: 'times-the-reference', atLeast: 1 },
      })
    return figures
  } finally {
    await rclone?.stop()
    await agent.stop()
    await station.close()
  }
}
