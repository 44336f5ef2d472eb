import { formatBytes } from '../../../shared/format.ts'
import { nightAt } from '../../../shared/nights.ts'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import { standings as everyStanding } from '../../../shared/status.ts'
import { standingWords } from '../../../shared/words.ts'
import * as commands from '../calls/commands.ts'
import { headline } from '../domain/headline.ts'
import { standingOf, type Viewpoint } from '../domain/standing.ts'
import { type Journal, openJournalBeside, type Recording } from '../journal/journal.ts'
import { systemClock } from '../platform/system-clock.ts'
import { cleanProblem, printJson, printLine, problemLine } from './terminal.ts'

/** Works beside a running agent: it reads the journal, and a nudge is one journal entry that the agent notices. */
const withJournal = <T>(
  dataFolder: string,
  use: (journal: Journal) => T,
  paths: Paths = pathsOf(process.platform),
): T => {
  const journal = openJournalBeside(dataFolder, systemClock.wallMs, paths)
  try {
    return use(journal)
  } finally {
    journal.close()
  }
}

const WORD_WIDTH = Math.max(...everyStanding.map((each) => standingWords[each].word.length))

const standing = (recording: Recording, view: Viewpoint) =>
  standingOf({ ...recording, endsBy: recording.problem?.endsBy ?? null }, view)

const jsonOf = (recording: Recording, view: Viewpoint) => ({
  path: recording.path,
  state: recording.state,
  standing: standing(recording, view),
  session_id: recording.sessionId,
  sha256: recording.sha256,
  bytes: recording.identity.sizeBytes,
  bytes_sent: recording.bytesSent,
  parts_total: recording.partsTotal,
  parts_sent: recording.partsSent,
  problem: recording.problem === null ? null : cleanProblem(recording.problem),
})

export const statusOf = (dataFolder: string) =>
  withJournal(dataFolder, (journal) => {
    const pause = journal.station.paused()
    const conditions = journal.station.conditions().map(cleanProblem)
    // A wrong clock is told and stops nothing.
    const stop = conditions.find(({ code }) => code !== 'clock-wrong') ?? null
    const view = {
      service: journal.station.serviceInUse(),
      sending: pause === null && stop === null,
    }
    const figures = journal.views.figures(view)
    const nowMs = systemClock.wallMs()
    // What was written in another night is what an agent said that is gone.
    const silences = journal.station.silences().filter(({ night }) => night === nightAt(nowMs).name)
    const pausedUntil = pause?.untilMs == null ? null : new Date(pause.untilMs).toISOString()
    const station = {
      headline: headline({
        configured: true,
        standings: figures.standings(),
        needs: figures.needs(),
        stop,
        paused: pause !== null,
        pausedUntil,
        windowOpensAt: null,
        folderProblem: null,
        silence: silences.find(({ loud }) => loud)?.sentence ?? null,
        etaSeconds: null,
        lastProcessedAtMs: journal.views.lastProcessedAtMs(),
        nowMs,
      }),
      paused: pause !== null,
      paused_until: pausedUntil,
      problem: conditions[0] ?? null,
      conditions,
      silences,
      counts: figures.counts(),
      standings: figures.standings(),
      bytes_left: figures.bytesLeft(),
    }
    return { station, recordings: journal.views.everything().map((recording) => jsonOf(recording, view)) }
  })

export const printStatus = (dataFolder: string, json: boolean): void => {
  const { station, recordings } = statusOf(dataFolder)
  if (json) {
    printJson({ station, recordings })
    return
  }
  for (const recording of recordings) {
    const sent = `${formatBytes(recording.bytes_sent)} of ${formatBytes(recording.bytes)}`
    const { word } = standingWords[recording.standing]
    printLine(`${word.padEnd(WORD_WIDTH)}  ${sent.padStart(22)}  ${recording.path}`)
    if (recording.problem !== null) printLine(`${' '.repeat(WORD_WIDTH)}  ${problemLine(recording.problem)}`)
  }
  for (const condition of station.conditions) printLine(problemLine(condition))
  for (const { sentence, because } of station.silences) printLine(`${sentence} ${because}`)
  printLine(station.headline)
}

export const pause = (dataFolder: string): void =>
  withJournal(dataFolder, (journal) => journal.station.pause(null))

export const resume = (dataFolder: string): void =>
  withJournal(dataFolder, (journal) => journal.station.resume())

/** Only while the station is stopped for it: the word is about the key that it has now. */
export const acceptKey = (dataFolder: string): void =>
  withJournal(dataFolder, (journal) => commands.acceptOrganisation(journal, systemClock.wallMs()))

/** A file as a person types it: from where they are, in their own letters. */
const nudge = (
  dataFolder: string,
  file: string,
  act: (journal: Journal, recording: Recording) => void,
  paths: Paths = pathsOf(process.platform),
): void =>
  withJournal(
    dataFolder,
    (journal) => {
      const whole = paths.resolve(process.cwd(), file)
      const recording = journal.recordings.currentByPath(whole) ?? journal.recordings.otherSpellings(whole)[0]
      if (recording === undefined) throw new Error(`The journal has no recording ${file}.`)
      act(journal, recording)
    },
    paths,
  )

export const retry = (dataFolder: string, file: string, paths?: Paths): void =>
  nudge(dataFolder, file, commands.retry, paths)

export const prioritise = (dataFolder: string, file: string): void =>
  nudge(dataFolder, file, commands.prioritise)
