import { systemClock } from '../../../shared/clock/clock.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { redactJson } from '../../../shared/redaction/redact.ts'
import { stopsUploads } from '../../../shared/status/conditions.ts'
import { inspectionJson } from '../../../shared/status/inspection-json.ts'
import { nightAt } from '../../../shared/status/nights.ts'
import type { Problem, StationCondition } from '../../../shared/status/problem.ts'
import type { TakeToCheck } from '../../../shared/status/status.ts'
import type { UpdateStatus } from '../../../shared/status/update-status.ts'
import { activitySentence } from '../domain/activity.ts'
import { bytesLeftOf } from '../domain/bytes-left.ts'
import { knownProblems } from '../domain/folder-problems.ts'
import { headlineOf } from '../domain/headline.ts'
import { inspectionDifferences } from '../domain/inspection-differences.ts'
import { waitSentence } from '../domain/removal-rules.ts'
import { type StandingContext, standingOfRecording } from '../domain/standing.ts'
import { takeName } from '../domain/takes.ts'
import { allowanceAt } from '../domain/upload-windows.ts'
import type { Journal, Recording, SavedFolderState } from '../journal/journal.ts'
import { Outlook } from '../outlook/outlook.ts'
import { updateStatus } from '../stage/update-memory.ts'
import { hoursIgnoredUntilMs, uploadNowOf } from './upload-now.ts'

// Builds the content of `sluice status` from the journal. This code runs in the process of `sluice status`. If the
// user's account may not read the journal, this code runs in the agent instead.

/** An older version of Sluice may have stored the problem without redaction, so redact it again. */
export const cleanProblem = <P extends Problem>(problem: P): P => JSON.parse(redactJson(problem))

/**
 * A running agent saves the progress of its uploads each second. If the saved progress is older than this limit, the
 * agent has stopped or the disk of the journal is full.
 */
const UPLOADS_FRESH_MS = 10_000

/**
 * A running agent saves its outlook once a minute. If the saved outlook is older than this limit, the agent has stopped
 * or the disk of the journal is full.
 */
const OUTLOOK_FRESH_MS = 180_000

/** The progress of a recording, as a running agent measured it. */
export type MeasuredProgress = {
  readonly bytesSent: number
  readonly settlesAtMs: number | null
  /** The name of the file that the recording's take waits for. */
  readonly waitsFor: string | null
}

export const recordingJson = (
  recording: Recording,
  view: StandingContext,
  { bytesSent, settlesAtMs, waitsFor }: MeasuredProgress = {
    bytesSent: recording.bytesSent,
    settlesAtMs: null,
    waitsFor: null,
  },
) => ({
  path: recording.path,
  take: recording.take === null ? null : takeName(recording.take, pathsOf(process.platform)),
  state: recording.state,
  standing: standingOfRecording(recording, view),
  session_id: recording.sessionId,
  sha256: recording.sha256,
  bytes: recording.identity.sizeBytes,
  bytes_sent: bytesSent,
  settles_at: settlesAtMs === null ? null : new Date(settlesAtMs).toISOString(),
  waits_for: waitsFor,
  parts_total: recording.partsTotal,
  parts_sent: recording.partsSent,
  problem:
    recording.problem === null || recording.problem.endsBy === 'dismissed'
      ? null
      : cleanProblem(recording.problem),
  removed_at: recording.removedAtMs === null ? null : new Date(recording.removedAtMs).toISOString(),
  moved_to: recording.movedTo,
})

const inspectedJson = (
  recording: Recording,
  journal: Journal,
  view: StandingContext,
  progress: MeasuredProgress,
) => {
  const inspection = journal.inspections.of(recording.id)
  const wait = journal.removals.whyStays(recording.id)
  return {
    ...recordingJson(recording, view, progress),
    stays_because: wait === null ? null : waitSentence(wait),
    inspection: inspection === null ? null : inspectionJson(inspection),
    differences: inspectionDifferences(inspection, recording.session),
    deviations: journal.inspections.deviationsOf(recording.id),
  }
}

/** The state of a folder at its last scan. */
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

/** The `version` in `update` is the version of Sluice that was started last. */
const updateJson = ({ checkedAt, lastResult, ...update }: UpdateStatus) => ({
  ...update,
  checked_at: checkedAt,
  last_result: lastResult,
})

const MAX_TAKES_TO_CHECK = 20

const takeJson = ({ name, folder, isHeld, deviations }: TakeToCheck) => ({
  name,
  folder,
  held: isHeld,
  deviations,
})

/** The files that stay on this PC although the rules of their folder should remove them. One entry per reason. */
const stayingJson = (journal: Journal, nowMs: number) =>
  journal.removals.staying().map(({ wait, count, newest }) => ({
    reason: wait,
    sentence: activitySentence(
      { kind: 'not-removed', wait },
      { name: newest, bytes: null, atMs: nowMs },
      nowMs,
    ),
    count,
  }))

/**
 * The conditions that a running agent reports. They replace the conditions in the journal, because the journal cannot
 * store new ones while its disk is full. Null: use the conditions in the journal.
 */
export type LiveConditions = readonly StationCondition[] | null

/** The status of the station, and the context for the standing of its recordings. */
export const stationOf = (journal: Journal, live: LiveConditions = null) => {
  const pause = journal.station.currentPause()
  const conditions = (live ?? journal.station.conditions()).map(cleanProblem)
  const stop = conditions.find(({ code }) => stopsUploads(code)) ?? null
  const nowMs = systemClock.wallMs()
  const savedOutlook = journal.station.outlook()
  const isRunning = savedOutlook !== null && Math.abs(nowMs - savedOutlook.atMs) < OUTLOOK_FRESH_MS
  const savedUploads = journal.station.uploads()
  const currentUploads =
    savedUploads !== null && Math.abs(nowMs - savedUploads.atMs) < UPLOADS_FRESH_MS ? savedUploads : null
  const allowance = savedOutlook === null ? null : allowanceAt(savedOutlook.transfer, nowMs)
  const closedUntilMs = allowance?.kind === 'closed' ? allowance.opensAtMs : null
  const uploadNow = uploadNowOf(journal, allowance)
  const view = {
    service: journal.station.serviceInUse(),
    sending: pause === null && stop === null && (allowance?.kind !== 'closed' || uploadNow !== null),
    ...(isRunning ? { uploadingIds: savedUploads?.uploads.map(({ id }) => id) ?? [] } : {}),
  }
  const figures = journal.views.figures(view)
  // Entries of a different night are leftovers of an agent that has stopped.
  const silences = journal.station.silences().filter(({ night }) => night === nightAt(nowMs).name)
  const pausedUntil = pause?.untilMs == null ? null : new Date(pause.untilMs).toISOString()
  const pausedSince = pause?.sinceMs == null ? null : new Date(pause.sinceMs).toISOString()
  const bytesSentById = new Map(currentUploads?.uploads.map((upload) => [upload.id, upload.bytesSent]))
  const settlesAtMsById = new Map(currentUploads?.settling?.map(({ id, settlesAtMs }) => [id, settlesAtMs]))
  const waitingFiles = isRunning ? journal.station.waitingFiles() : []
  const waitsForById = new Map(waitingFiles.map(({ id, name }) => [id, name]))
  /** `bytesSent` includes the bytes in flight, because the window counts them as sent too. */
  const progressOf = (recording: Recording): MeasuredProgress => ({
    bytesSent: Math.max(recording.bytesSent, bytesSentById.get(recording.id) ?? 0),
    settlesAtMs: recording.state === 'growing' ? (settlesAtMsById.get(recording.id) ?? null) : null,
    waitsFor: recording.state === 'growing' ? (waitsForById.get(recording.id) ?? null) : null,
  })
  const sending = [...bytesSentById.keys()].flatMap((id) => journal.recordings.byId(id) ?? [])
  const bytesLeft = bytesLeftOf(
    figures.bytesLeft(),
    sending.map((recording) => ({ recording, bytesSentOrInFlight: progressOf(recording).bytesSent })),
  )
  const recent = isRunning ? savedOutlook.recent : { bytes: 0, seconds: 0, limitBytesPerSecond: null }
  const outlook = new Outlook(journal, () => recent)
  const forecast = outlook.forecast({
    settings: savedOutlook,
    bytes: bytesLeft,
    stopped: stop !== null,
    pause,
    hoursIgnoredUntilMs: hoursIgnoredUntilMs(uploadNow),
    bytesPerSecondNow: currentUploads?.bytesPerSecond ?? null,
    nowMs,
  })
  const folders = journal.folders.all().map(folderJson)
  // Only a running agent measures free space.
  const driveSpace = isRunning ? (savedOutlook?.driveSpace ?? []) : []
  const standings = figures.standings()
  const takesToCheck = journal.inspections.toCheck(MAX_TAKES_TO_CHECK)
  const station = {
    ...headlineOf({
      configured: true,
      standings,
      finishing: Math.min(currentUploads?.finishing ?? 0, standings.recording),
      needs: figures.needs(),
      takesToCheck: takesToCheck.count,
      conditions,
      paused: pause !== null,
      pausedUntil,
      pausedSince,
      windowOpensAt: closedUntilMs === null ? null : new Date(closedUntilMs).toISOString(),
      uploadNow,
      folders: journal.folders.all(),
      silentFolders: silences.filter(({ loud }) => loud).map(({ folder }) => folder),
      driveSpace,
      forecast,
      lastProcessedAtMs: journal.views.lastProcessedAtMs(),
      nowMs,
    }),
    paused: pause !== null,
    paused_until: pausedUntil,
    paused_since: pausedSince,
    upload_now: uploadNow,
    problem: conditions[0] ?? null,
    conditions,
    test_key: journal.station.usesTestKey(),
    silences,
    takes_to_check: { count: takesToCheck.count, newest: takesToCheck.newest.map(takeJson) },
    staying: stayingJson(journal, nowMs),
    counts: figures.counts(),
    standings,
    bytes_left: bytesLeft,
    bytes_per_second: currentUploads?.bytesPerSecond ?? null,
    forecast,
    drive_space: driveSpace,
    folders,
    update: updateJson(updateStatus(journal, journal.activity.recall<string>('version'), null)),
  }
  return { station, view, isRunning, progressOf }
}

export const statusReport = (journal: Journal, live: LiveConditions) => {
  const { station, view, progressOf } = stationOf(journal, live)
  return {
    station,
    recordings: journal.views
      .everything()
      .map((recording) => inspectedJson(recording, journal, view, progressOf(recording))),
  }
}

export type StatusReport = ReturnType<typeof statusReport>
