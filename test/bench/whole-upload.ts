import { execFile } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { formatBytes } from '../../shared/words/format.ts'
import { readJournal } from '../support/journal-file.ts'
import { MIB, until } from '../support/station.ts'
import { rcloneRow, withStationAndRclone } from './beside-rclone.ts'
import { type Bench, measureMs, runInterleaved } from './figure.ts'
import { processorSecondsOf, secondsOfTimes } from './processor-time.ts'
import { hasTus, startTus, WITHOUT_TUS } from './tus.ts'

/**
 * Measures one recording from `queued` (the file is finished) to `processing` (the service has the whole file). First
 * the agent sends the recording. Then a script sends it with the same calls. Then rclone and tus send it, if they are
 * installed. The sandbox does the same work for the agent and for the script.
 */

const PART_MIB = 64
const SCRIPT = path.join(import.meta.dirname, 'upload-script.sh')

/** Every recording has different content, because Sluice sends equal content only once. */
const writeRecording = async (file: string, bytes: number, round: number): Promise<void> => {
  const handle = await open(file, 'w')
  const block = Buffer.alloc(PART_MIB * MIB, `recording ${round} `)
  for (let written = 0; written < bytes; written += block.length) {
    block.writeUInt32LE(written / MIB)
    await handle.write(block)
  }
  await handle.close()
}

const bench: Bench = ({ recordingMib, longRounds }) =>
  withStationAndRclone(
    ['--processing-delay', '0'],
    { folder: { part_size_bytes: PART_MIB * MIB } },
    async ({ station, agent, stagingFolder, copyMs }) => {
      const bytes = recordingMib * MIB
      const gigabytes = bytes / 1e9
      const scratch = path.join(station.root, 'scratch')
      mkdirSync(scratch)
      await writeFile(path.join(scratch, 'empty'), '')
      const pid = agent.child.pid ?? 0
      const processorSecondsPerGb = { agent: [] as number[], script: [] as number[] }
      const source = path.join(stagingFolder, 'recording.bin')
      let round = 0

      const discard = (sessionId: string) =>
        station.sandbox.api(`/v1/sessions/${sessionId}`, { method: 'DELETE' })

      const uploadWithAgent = async (): Promise<number> => {
        round += 1
        await writeRecording(source, bytes, round)
        const name = `take-${round}.bin`
        const before = processorSecondsOf(pid)
        renameSync(source, path.join(station.recordings, name))
        const result = await until(`${name} is at the service`, () => {
          const rows = readJournal<{ state: string; at: number; session: string }>(
            station.data,
            `SELECT to_state AS state, at, session_id AS session
             FROM timeline JOIN recordings ON recordings.id = recording_id WHERE name = ?`,
            name,
          )
          const queued = rows.find(({ state }) => state === 'queued')
          const processing = rows.find(({ state }) => state === 'processing')
          return queued && processing && { ms: processing.at - queued.at, session: processing.session }
        })
        processorSecondsPerGb.agent.push((processorSecondsOf(pid) - before) / gigabytes)
        await until(`${name} is processed`, () => agent.status?.counts.processed === round)
        await discard(result.session)
        renameSync(path.join(station.recordings, name), source)
        return bytes / 1000 / result.ms
      }

      const uploadWithScript = async (): Promise<number> => {
        let output = ''
        const ms = await measureMs(async () => {
          const env = { ...process.env, KEY: station.sandbox.keys.write }
          const args = [source, station.sandbox.baseUrl, String(PART_MIB), scratch]
          output = (await promisify(execFile)(SCRIPT, args, { env })).stdout
        })
        const [session = '', timesLine = ''] = output.trim().split('\n')
        processorSecondsPerGb.script.push(secondsOfTimes(timesLine) / gigabytes)
        await discard(session)
        return bytes / 1000 / ms
      }

      const copyWithRclone = async (): Promise<number> => bytes / 1000 / (await copyMs!())

      const tus = hasTus() ? await startTus(path.join(station.root, 'tus')) : null
      const sendWithTus = async (): Promise<number> => bytes / 1000 / (await tus!.send(source))

      const runs = [
        uploadWithAgent,
        uploadWithScript,
        ...(copyMs === null ? [] : [copyWithRclone]),
        ...(tus === null ? [] : [sendWithTus]),
      ]
      const rounds = await runInterleaved(longRounds, runs).finally(() => tus?.stop())
      const valuesOf = (run: () => Promise<number>) => rounds[runs.indexOf(run)]
      const [agentRates = [], scriptRates = []] = [uploadWithAgent, uploadWithScript].map(valuesOf)
      const what = `a recording of ${formatBytes(bytes)}, from queued to processing`
      return [
        {
          what,
          unit: 'MB/s',
          ours: agentRates,
          reference: { name: 'a script of openssl and curl', values: scriptRates },
          goal: { kind: 'times-the-reference', atLeast: 1.1 },
        },
        {
          what: 'processor time of the whole agent for this recording',
          unit: 's/GB',
          ours: processorSecondsPerGb.agent.slice(1),
          reference: { name: 'the script', values: processorSecondsPerGb.script.slice(1) },
          goal: { kind: 'times-the-reference', atMost: 1 },
        },
        rcloneRow(
          { what, unit: 'MB/s', ours: agentRates, goal: { kind: 'times-the-reference', atLeast: 1 } },
          'with checksums, to its WebDAV server',
          valuesOf(copyWithRclone),
        ),
        tus === null
          ? { what: `${what}, beside tus-js-client`, missing: WITHOUT_TUS }
          : {
              what,
              unit: 'MB/s',
              ours: agentRates,
              reference: {
                name: 'tus-js-client to @tus/server, nothing hashed',
                values: valuesOf(sendWithTus) ?? [],
              },
              goal: { kind: 'times-the-reference', atLeast: 1 },
            },
      ]
    },
  )

export const benchWholeUpload: Bench = async (sizes) =>
  process.platform === 'linux'
    ? bench(sizes)
    : [{ what: 'a recording, from queued to processing', missing: 'Linux' }]
