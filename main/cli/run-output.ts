import { listeningUrl } from '../../shared/settings/listening-url.ts'
import { wordOf } from '../../shared/words/words.ts'
import type { Agent } from '../agent/assembly/agent.ts'
import { type StandingContext, standingOfRecording } from '../agent/domain/standing.ts'
import type { Recording } from '../agent/journal/journal.ts'
import { cleanProblem } from '../agent/status/status-report.ts'
import { printJson, printLine, problemLine, WORD_WIDTH } from './terminal.ts'

/** What `sluice run` prints while it runs. */

const bytesSentNow = (recording: Recording, inFlight: number) =>
  Math.min(recording.bytesSent + inFlight, recording.identity.sizeBytes)

const changeOf = (recording: Recording, bytesSent: number, view: StandingContext) => ({
  at: new Date().toISOString(),
  path: recording.path,
  state: recording.state,
  standing: standingOfRecording(recording, view),
  session_id: recording.sessionId,
  bytes: recording.identity.sizeBytes,
  bytes_sent: bytesSent,
  problem:
    recording.problem === null || recording.problem.endsBy === 'dismissed'
      ? null
      : cleanProblem(recording.problem),
})

/** The line of a recording without the time, so that the printer can skip an unchanged line. */
const textLine = (recording: Recording, view: StandingContext, settlesAtMs: number | null): string => {
  const word = wordOf({
    standing: standingOfRecording(recording, view),
    paused: recording.paused,
    problem: recording.problem,
    settlesAt: settlesAtMs === null ? null : new Date(settlesAtMs).toISOString(),
  })
  const problemText = recording.problem === null ? '' : `  ${problemLine(recording.problem)}`
  return `${word.padEnd(WORD_WIDTH)}  ${recording.path}${problemText}`
}

type ListenAddress = { readonly address: string; readonly port: number } | null

/** Returns a function that prints the address when Sluice starts to listen, and whenever the address changes. */
export const createListeningPrinter = (activity: string, path: string): ((at: ListenAddress) => void) => {
  let lastUrl = ''
  return (at) => {
    const url = at === null ? '' : listeningUrl(at, path)
    if (url !== '' && url !== lastUrl) printLine(`${activity} at ${url}.`, process.stderr)
    lastUrl = url
  }
}

/** Returns a function that prints a recording if its line has changed. */
export const createChangePrinter = (agent: Agent, json: boolean): ((id: number | null) => void) => {
  const { journal, progress } = agent
  const lastPrinted = new Map<number, string>()
  return (id) => {
    const recording = id === null ? null : journal.recordings.byId(id)
    if (recording === null) return
    const bytesSent = bytesSentNow(recording, progress.of(recording.id)?.inFlight ?? 0)
    const { at, ...change } = changeOf(recording, bytesSent, agent.standingContext)
    const content = json
      ? JSON.stringify(change)
      : textLine(recording, agent.standingContext, progress.settlesAtMs(recording.id))
    if (lastPrinted.get(recording.id) === content) return
    lastPrinted.set(recording.id, content)
    if (json) printJson({ at, ...change })
    else printLine(`${new Date().toTimeString().slice(0, 8)}  ${content}`)
  }
}

/**
 * Returns a function that prints each new problem of the whole station. The problems come from the agent, because the
 * journal cannot store them on a full disk.
 */
export const createConditionPrinter = (agent: Agent): (() => void) => {
  let shownCodes = new Set<string>()
  return () => {
    const { problems } = agent.station
    for (const problem of problems)
      if (!shownCodes.has(problem.code)) printLine(problemLine(problem), process.stderr)
    shownCodes = new Set(problems.map(({ code }) => code))
  }
}
