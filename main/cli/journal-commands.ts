import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { stopsUploads } from '../../shared/status/conditions.ts'
import { nightAt } from '../../shared/status/nights.ts'
import * as commands from '../agent/calls/commands.ts'
import { knownProblems } from '../agent/domain/folder-problems.ts'
import { headline } from '../agent/domain/headline.ts'
import { standingOf, type Viewpoint } from '../agent/domain/standing.ts'
import { needsFile } from '../agent/domain/states.ts'
import {
  type Journal,
  openJournalBeside,
  type Recording,
  type SavedFolderState,
} from '../agent/journal/journal.ts'
import { Outlook } from '../agent/outlook/outlook.ts'
import { systemClock } from '../agent/platform/system-clock.ts'
import { foldersSentence } from '../agent/status/folder-state.ts'
import { cleanProblem } from './terminal.ts'

/** Works beside a running agent: it reads the journal, and a nudge is one journal entry that the agent notices. */
export const withJournal = <T>(
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

/** Kept once a minute: what is older was kept by an agent that does not run any more. */
const OUTLOOK_HOLDS_MS = 180_000

const standing = (recording: Recording, view: Viewpoint) =>
  standingOf({ ...recording, endsBy: recording.problem?.endsBy ?? null }, view)

export const recordingJson = (recording: Recording, view: Viewpoint) => ({
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
  removed_at: recording.removedAtMs === null ? null : new Date(recording.removedAtMs).toISOString(),
  moved_to: recording.movedTo,
})

/** A folder as its last scan found it. */
const folderJson = ({ path, state, problems }: SavedFolderState) => ({
  path,
  state,
  problems: knownProblems(problems).map(({ problem, since, leftOut, leftOutCount }) => ({
    ...cleanProblem(problem),
    since,
    left_out: leftOut,
    left_out_count: leftOutCount,
  })),
})

/** The station as a whole, and from where its recordings are judged. */
export const stationOf = (journal: Journal) => {
  const pause = journal.station.paused()
  const conditions = journal.station.conditions().map(cleanProblem)
  const stop = conditions.find(({ code }) => stopsUploads(code)) ?? null
  const view = {
    service: journal.station.serviceInUse(),
    sending: pause === null && stop === null,
  }
  const figures = journal.views.figures(view)
  const nowMs = systemClock.wallMs()
  // What was written in another night is what an agent said that is gone.
  const silences = journal.station.silences().filter(({ night }) => night === nightAt(nowMs).name)
  const pausedUntil = pause?.untilMs == null ? null : new Date(pause.untilMs).toISOString()
  const bytesLeft = figures.bytesLeft()
  const kept = journal.station.outlook()
  const isRunning = kept !== null && Math.abs(nowMs - kept.atMs) < OUTLOOK_HOLDS_MS
  const recent = isRunning ? kept.recent : { bytes: 0, seconds: 0, limitBytesPerSecond: null }
  const outlook = new Outlook(journal, () => recent)
  const forecast = outlook.forecast({
    settings: kept,
    bytes: bytesLeft,
    stopped: stop !== null,
    pause,
    nowMs,
  })
  const folders = journal.folders.all().map(folderJson)
  const station = {
    headline: headline({
      configured: true,
      standings: figures.standings(),
      needs: figures.needs(),
      stop,
      paused: pause !== null,
      pausedUntil,
      windowOpensAt: null,
      folderProblem: foldersSentence(journal.folders.all()),
      silence: silences.find(({ loud }) => loud)?.sentence ?? null,
      // Drives are asked by an agent that runs.
      room: null,
      forecast,
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
    bytes_left: bytesLeft,
    forecast,
    room: isRunning ? (kept?.room ?? []) : [],
    folders,
  }
  return { station, view, isRunning }
}

export const statusOf = (dataFolder: string) =>
  withJournal(dataFolder, (journal) => {
    const { station, view } = stationOf(journal)
    return {
      station,
      recordings: journal.views.everything().map((recording) => recordingJson(recording, view)),
    }
  })

/** A file as a person types it: from where they are, in their own letters. */
const nudge = (
  dataFolder: string,
  file: string,
  act: (journal: Journal, recording: Recording) => void,
  paths: Paths = pathsOf(process.platform),
): Recording =>
  withJournal(
    dataFolder,
    // As one: an agent that runs beside it may move the recording on between a look and a change.
    (journal) =>
      journal.transaction(() => {
        const whole = paths.resolve(process.cwd(), file)
        const { recordings } = journal
        const recording = recordings.currentByPath(whole) ?? recordings.otherSpellings(whole)[0]
        if (recording === undefined) throw new Error(`The journal has no recording ${file}.`)
        act(journal, recording)
        return recording
      }),
    paths,
  )

export const retry = (dataFolder: string, file: string, paths?: Paths): Recording =>
  nudge(
    dataFolder,
    file,
    (journal, recording) => {
      const why = commands.whyNoRetry(recording)
      if (why !== null) throw new Error(`${file} cannot be retried: ${why}.`)
      commands.retry(journal, recording)
    },
    paths,
  )

export const prioritise = (dataFolder: string, file: string): Recording =>
  nudge(dataFolder, file, (journal, recording) => {
    if (!needsFile(recording.state)) throw new Error(`${file} is not waiting to be uploaded.`)
    commands.setUrgent(journal, recording, true)
  })
