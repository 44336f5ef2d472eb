import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { identifyFile } from '../../main/agent/platform/files/file-inspect.ts'
import { createInspectionThread } from '../../main/agent/platform/inspection/inspection-thread.ts'
import type { InspectionThread } from '../../main/agent/ports/inspection.ts'
import { recordMcap } from '../support/formats/mcap-recorder.ts'
import { writeSparseMcap } from '../support/formats/sparse-mcap.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { type AgentProcess, Station, until } from '../support/station.ts'
import { type Bench, type Figure, type Missing, measureMs, runInterleaved } from './figure.ts'
import type { BenchSizes } from './sizes.ts'

/**
 * Measures how long the inspection of a recording takes, and how soon Sluice reports a bad recording. The large MCAP
 * file is mostly holes: only its headers, indexes, summary and pictures are real.
 */

const GOAL_MS = 200
const REPORT_GOAL_S = 5
const CHUNK_BYTES = 4 << 20
const MAX_REPORT_ROUNDS = 3
const USUAL_TAKES = 5
const VIDEO = ['-f', 'lavfi', '-i', 'testsrc=size=320x240:rate=30:duration=60', '-c:v', 'mpeg4']
const picture = new URL('../unit/shared/formats/files/dark-noise.jpg', import.meta.url)

export const benchInspection: Bench = async (sizes) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-inspection-'))
  const thread = createInspectionThread()
  try {
    return [
      await inspectLargeMcap(thread, folder, sizes),
      await inspectVideo(thread, folder, sizes),
      await reportBadRecording(sizes),
      await sendInspected(sizes),
    ]
  } finally {
    await thread.close()
    rmSync(folder, { recursive: true })
  }
}

const inspectFile = async (thread: InspectionThread, file: string) => {
  const identity = await identifyFile(file)
  if (!identity.ok) throw new Error(identity.failure.kind)
  const signal = new AbortController().signal
  const outcome = await thread.inspect({ path: file, identity: identity.value, signal })
  if (!outcome.ok) throw new Error(outcome.failure.kind)
  if (outcome.value.completeness !== 'complete') throw new Error(JSON.stringify(outcome.value.warnings))
}

const inspectLargeMcap = async (
  thread: InspectionThread,
  folder: string,
  { rounds, inspectedGigabytes }: BenchSizes,
): Promise<Figure> => {
  const file = path.join(folder, 'large.mcap')
  const chunks = Math.ceil((inspectedGigabytes * 1e9) / CHUNK_BYTES)
  writeSparseMcap(file, {
    chunks,
    chunkBytes: CHUNK_BYTES,
    channels: 20,
    messages: 10,
    picture: readFileSync(picture),
  })
  const [ours = []] = await runInterleaved(rounds, [() => measureMs(() => inspectFile(thread, file))])
  return {
    what: `inspection of an indexed MCAP file of ${inspectedGigabytes} GB with 20 channels`,
    unit: 'ms',
    ours,
    reference: null,
    goal: { kind: 'own', atMost: GOAL_MS },
  }
}

const hasProgram = (name: string): boolean => {
  try {
    execFileSync(name, ['-version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const run = async (program: string, args: readonly string[]): Promise<void> => {
  const [code] = await once(spawn(program, args, { stdio: 'ignore' }), 'close')
  if (code !== 0) throw new Error(`${program} ended with code ${code}`)
}

const inspectVideo = async (
  thread: InspectionThread,
  folder: string,
  { rounds }: BenchSizes,
): Promise<Figure | Missing> => {
  const what = 'inspection of an MP4 file with 1,800 frames'
  const missing = ['ffmpeg', 'ffprobe'].find((name) => !hasProgram(name))
  if (missing !== undefined) return { what, missing }
  const file = path.join(folder, 'camera.mp4')
  await run('ffmpeg', ['-loglevel', 'error', '-y', ...VIDEO, file])
  const [ours = [], values = []] = await runInterleaved(rounds, [
    () => measureMs(() => inspectFile(thread, file)),
    () => measureMs(() => run('ffprobe', ['-show_streams', '-show_packets', '-show_format', file])),
  ])
  return {
    what,
    unit: 'ms',
    ours,
    reference: { name: 'ffprobe -show_packets, with its start', values },
    goal: { kind: 'times-the-reference', atMost: 1 },
  }
}

/** Measures the time from the close of the file until the agent's status reports the recording. */
const reportBadRecording = async ({ longRounds }: BenchSizes): Promise<Figure> => {
  const station = await Station.open(['--processing-delay', '0'])
  try {
    station.configure({ folder: { settle_seconds: 10 } })
    const agent = await HostedAgent.start(station)
    const fileOf = (name: string) => path.join(station.recordings, `${name}.mcap`)
    for (let take = 1; take <= USUAL_TAKES; take += 1)
      await recordMcap(fileOf(`take_${take}`), { seconds: 20, start: 1_700_000_000 + take * 60 })
    await until('the usual recordings are processed', () => agent.status?.counts.processed === USUAL_TAKES)
    const ours: number[] = []
    for (let round = 1; round <= Math.min(longRounds, MAX_REPORT_ROUNDS); round += 1) {
      const name = `take_${USUAL_TAKES + round}`
      const closedAtMs = await recordMcap(fileOf(name), { seconds: 20, cameraSeconds: 5 + round })
      await until('the recording is reported', () =>
        agent.status?.takesToCheck.newest.some((take) => take.name === `${name}.mcap`),
      )
      ours.push((Date.now() - closedAtMs) / 1000)
    }
    await agent.stop()
    return {
      what: 'from file closed to the report that its camera stopped half-way',
      unit: 's',
      ours,
      reference: null,
      goal: { kind: 'own', atMost: REPORT_GOAL_S },
    }
  } finally {
    await station.close()
  }
}

const msToFirstPart = async (agent: AgentProcess, file: string): Promise<number> => {
  const queued = await agent.waitForChange(
    'the file is queued',
    ({ path: changed, state }) => changed === file && state === 'queued',
  )
  const sent = await agent.waitForChange(
    'the first part is accepted',
    ({ path: changed, bytes_sent }) => changed === file && bytes_sent > 0,
  )
  await agent.waitForChange(
    'the file is processed',
    ({ path: changed, state }) => changed === file && state === 'processed',
  )
  return Date.parse(sent.at) - Date.parse(queued.at)
}

/**
 * Measures whether the inspection delays the upload. Sluice inspects the `.dat` file, an MCAP file. It does not inspect
 * the `.bin` file, the same file without the magic bytes. Neither extension suggests a format, so both files have the
 * same settle time.
 */
const sendInspected = async ({ longRounds }: BenchSizes): Promise<Figure> => {
  const station = await Station.open(['--processing-delay', '0'])
  try {
    const agent = station.agent()
    let file = 0
    const send = (extension: string) => async () => {
      file += 1
      const written = path.join(station.root, `take_${file}`)
      // Each file has a different size, because Sluice uploads the same content only once.
      writeSparseMcap(written, {
        chunks: 16 + file,
        chunkBytes: CHUNK_BYTES,
        channels: 20,
        messages: 10,
        picture: readFileSync(picture),
      })
      if (extension === 'bin') {
        const fd = openSync(written, 'r+')
        writeSync(fd, Buffer.alloc(8), 0, 8, 0)
        closeSync(fd)
      }
      const watched = path.join(station.recordings, `take_${file}.${extension}`)
      renameSync(written, watched)
      return msToFirstPart(agent, watched)
    }
    const [ours = [], values = []] = await runInterleaved(longRounds, [send('dat'), send('bin')])
    await agent.kill()
    return {
      what: 'an MCAP file of 75 MB, from queued to the first accepted part',
      unit: 'ms',
      ours,
      reference: { name: 'the same bytes without an inspection', values },
      goal: { kind: 'times-the-reference', atMost: 1.1 },
    }
  } finally {
    await station.close()
  }
}
