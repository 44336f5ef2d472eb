import { systemClock } from '../../shared/clock/clock.ts'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { stopsUploads } from '../../shared/status/conditions.ts'
import { nightAt } from '../../shared/status/nights.ts'
import { knownProblems } from '../agent/domain/folder-problems.ts'
import { headlineOf } from '../agent/domain/headline.ts'
import { standingOfRecording, type Viewpoint } from '../agent/domain/standing.ts'
import { allowanceAt } from '../agent/domain/upload-windows.ts'
import {
  type Journal,
  openJournalBeside,
  type Recording,
  type SavedFolderState,
} from '../agent/journal/journal.ts'
import { Outlook } from '../agent/outlook/outlook.ts'
import { cleanProblem } from './terminal.ts'

/** An agent may be running: it notices changes in the journal at once. */
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

/** A running agent stores its outlook once a minute. An older one means that the agent has stopped. */
const OUTLOOK_FRESH_MS = 180_000

export const recordingJson = (recording: Recording, view: Viewpoint) => ({
  path: recording.path,
  state: recording.state,
  standing: standingOfRecording(recording, view),
  session_id: recording.sessionId,
  sha256: recording.sha256,
  bytes: recording.identity.sizeBytes,
  bytes_sent: recording.bytesSent,
  parts_total: recording.partsTotal,
  parts_sent: recording.partsSent,
  problem:
    recording.problem === null || recording.problem.endsBy === 'dismissed'
      ? null
      : cleanProblem(recording.problem),
  removed_at: recording.removedAtMs === null ? null : new Date(recording.removedAtMs).toISOString(),
  moved_to: recording.movedTo,
})

/** A folder as of its last scan. */
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

/** The status of the station, and the viewpoint for the standing of its recordings. */
export const stationOf = (journal: Journal) => {
  const pause = journal.station.paused()
  const conditions = journal.station.conditions().map(cleanProblem)
  const stop = conditions.find(({ code }) => stopsUploads(code)) ?? null
  const nowMs = systemClock.wallMs()
  const kept = journal.station.outlook()
  const isRunning = kept !== null && Math.abs(nowMs - kept.atMs) < OUTLOOK_FRESH_MS
  const allowance = kept === null ? null : allowanceAt(kept.transfer, nowMs)
  const closedUntilMs = allowance?.kind === 'closed' ? allowance.opensAtMs : null
  const view = {
    service: journal.station.serviceInUse(),
    sending: pause === null && stop === null && allowance?.kind !== 'closed',
    ...(isRunning ? { uploadingIds: journal.station.uploadingIds() } : {}),
  }
  const figures = journal.views.figures(view)
  // Entries of a different night are leftovers of an agent that has stopped.
  const silences = journal.station.silences().filter(({ night }) => night === nightAt(nowMs).name)
  const pausedUntil = pause?.untilMs == null ? null : new Date(pause.untilMs).toISOString()
  const bytesLeft = figures.bytesLeft()
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
  // Only a running agent measures free space.
  const room = isRunning ? (kept?.room ?? []) : []
  const station = {
    ...headlineOf({
      configured: true,
      standings: figures.standings(),
      needs: figures.needs(),
      conditions,
      paused: pause !== null,
      pausedUntil,
      windowOpensAt: closedUntilMs === null ? null : new Date(closedUntilMs).toISOString(),
      folders: journal.folders.all(),
      silentFolders: silences.filter(({ loud }) => loud).map(({ folder }) => folder),
      room,
      forecast,
      lastProcessedAtMs: journal.views.lastProcessedAtMs(),
      nowMs,
    }),
    paused: pause !== null,
    paused_until: pausedUntil,
    problem: conditions[0] ?? null,
    conditions,
    test_key: journal.station.usesTestKey(),
    silences,
    counts: figures.counts(),
    standings: figures.standings(),
    bytes_left: bytesLeft,
    forecast,
    room,
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
