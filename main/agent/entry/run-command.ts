import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DAMAGED_JOURNAL_EXIT } from '../../../shared/agent-protocol.ts'
import { keepToOwner } from '../../owner-only.ts'
import { Agent } from '../agent.ts'
import type { Recording } from '../journal/journal.ts'
import { createLog } from '../platform/log.ts'
import { systemClock } from '../platform/system-clock.ts'
import { onEndingSignal } from './ending-signals.ts'
import { HeadlessSettings } from './headless-settings.ts'
import { readOwnSettings } from './settings-file.ts'
import { cleanProblem, printJson, printLine, problemLine } from './terminal.ts'

const IDLE_LOOK_MS = 100

export type RunOptions = {
  /** Null where the managed settings are enough. */
  readonly settings: string | null
  /** Null for the place where administrators put them. */
  readonly managed: string | null
  readonly data: string
  readonly untilIdle: boolean
  /** How long to wait, with --until-idle, for what passes by itself. */
  readonly patienceMs: number
  readonly json: boolean
}

const MEASURE_STEP_MS = 10

/** For whoever wants to know whether the event loop stays free; off unless asked for. */
const measureLoop = (): (() => void) => {
  if (process.env.SLUICE_MEASURE !== '1') return () => {}
  const delay = monitorEventLoopDelay({ resolution: MEASURE_STEP_MS })
  delay.enable()
  return () => {
    const [p99Ms, maxMs] = [delay.percentile(99), delay.max].map((ns) => Math.round(ns / 1e5) / 10)
    const peakRssBytes = process.resourceUsage().maxRSS * 1024
    process.stderr.write(`${JSON.stringify({ eventLoopDelay: { p99Ms, maxMs }, peakRssBytes })}\n`)
  }
}

const sentNow = (recording: Recording, inFlight: number) =>
  Math.min(recording.bytesSent + inFlight, recording.identity.sizeBytes)

const changeOf = (recording: Recording, bytesSent: number) => ({
  at: new Date().toISOString(),
  path: recording.path,
  state: recording.state,
  session_id: recording.sessionId,
  bytes: recording.identity.sizeBytes,
  bytes_sent: bytesSent,
  problem: recording.problem === null ? null : cleanProblem(recording.problem),
})

const textLine = (recording: Recording): string => {
  const time = new Date().toTimeString().slice(0, 8)
  const what = recording.problem === null ? '' : `  ${problemLine(recording.problem)}`
  return `${time}  ${recording.state.padEnd(10)}  ${recording.path}${what}`
}

/** Runs the agent in the foreground. Exit code 0: all processed; 2: something needs a person. */
export const run = async (options: RunOptions): Promise<number> => {
  const own = readOwnSettings(options.settings)
  for (const warning of own.warnings) printLine(warning, process.stderr)
  const log = createLog(options.data)
  const settings = new HeadlessSettings(own, options, log)
  for (const sentence of keepToOwner(options.data)) log.warn(sentence)
  const agent = new Agent({
    dataFolder: options.data,
    log,
    onDamage: () =>
      process.stderr.write(
        'The journal is damaged. Start the agent again: it sets the journal aside and rebuilds it; nothing is lost.\n',
        () => process.exit(DAMAGED_JOURNAL_EXIT),
      ),
  })
  const { journal, progress } = agent
  const printed = new Map<number, string>()

  const print = (id: number | null) => {
    const recording = id === null ? null : journal.recordings.byId(id)
    if (recording === null) return
    const bytesSent = options.json ? sentNow(recording, progress.of(recording.id)?.inFlight ?? 0) : 0
    const content = JSON.stringify([
      recording.path,
      recording.state,
      recording.sessionId,
      bytesSent,
      recording.problem,
    ])
    if (printed.get(recording.id) === content) return
    printed.set(recording.id, content)
    if (options.json) printJson(changeOf(recording, bytesSent))
    else printLine(textLine(recording))
  }

  let told = new Set<string>()
  /** What stops the whole station is no recording's line; a full disk cannot even be noted in the journal. */
  const tellConditions = () => {
    const { problems } = agent.station
    for (const problem of problems)
      if (!told.has(problem.code)) printLine(problemLine(problem), process.stderr)
    told = new Set(problems.map(({ code }) => code))
  }

  const endMeasure = measureLoop()
  agent.onChange(print)
  // Journal entries are progress, except those of what only waits.
  let progressAtMs = systemClock.monotonicMs()
  let states = ''
  agent.start()
  await agent.configure(settings.inForce)
  settings.follow(
    (next) => void agent.configure(next).catch((error: unknown) => agent.tell(error, 'new settings')),
  )

  await new Promise<void>((resolve) => {
    const lookOnce = () => {
      tellConditions()
      if (options.json) for (const recording of journal.work.inState(['uploading'])) print(recording.id)
      if (!options.untilIdle) return
      const left = agent.left()
      const now = JSON.stringify([journal.views.counts(), journal.views.bytesLeft()])
      if (left === 'work' || now !== states) progressAtMs = systemClock.monotonicMs()
      states = now
      const waitedMs = systemClock.monotonicMs() - progressAtMs
      if (left === 'nothing' || left === 'somebody' || waitedMs > options.patienceMs) end()
    }
    const look = setInterval(() => agent.guard('the terminal', lookOnce), IDLE_LOOK_MS)
    const end = () => {
      clearInterval(look)
      stopListening()
      resolve()
    }
    const stopListening = onEndingSignal(end)
  })

  const status = agent.status()
  const left = agent.left()
  const broken = status.station.problem !== null || status.folders.some((folder) => folder.problem !== null)
  const failed = left !== 'nothing' || status.counts.failed + status.counts.gone > 0
  tellConditions()
  endMeasure()
  settings.stop()
  await agent.stop()
  if (!options.untilIdle) return 0
  for (const folder of status.folders)
    if (folder.problem !== null) printLine(`${folder.path}: ${problemLine(folder.problem)}`, process.stderr)
  return broken || failed ? 2 : 0
}
