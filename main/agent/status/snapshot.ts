import type { FolderSettings, Settings } from '../../../shared/settings/settings.ts'
import { stationStateOf } from '../../../shared/status/conditions.ts'
import type { DriveSpace } from '../../../shared/status/free-space.ts'
import { partOf, totalOf } from '../../../shared/status/night-parts.ts'
import { nightAt } from '../../../shared/status/nights.ts'
import type { Problem, StationCondition } from '../../../shared/status/problem.ts'
import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import type {
  FolderStatus,
  MorningReport,
  Silence,
  StationState,
  Status,
} from '../../../shared/status/status.ts'
import { foldersInTrouble } from '../../../shared/status/status.ts'
import { bytesLeftOf } from '../domain/bytes-left.ts'
import { driveSafety } from '../domain/drive-safety.ts'
import { headlineOf } from '../domain/headline.ts'
import { type StandingContext, standingOfRecording } from '../domain/standing.ts'
import type { Allowance } from '../domain/upload-windows.ts'
import type { Journal } from '../journal/journal.ts'
import type { Outlook } from '../outlook/outlook.ts'
import { updateStatus } from '../stage/update-memory.ts'
import { liveUploads, uploadsInProgress } from './live-uploads.ts'
import type { Progress } from './progress.ts'
import { rowOf } from './recording-rows.ts'
import { hoursIgnoredUntilMs, uploadNowOf } from './upload-now.ts'

const RECENT_ROWS = 5
const MAX_TAKES_TO_CHECK = 20

export type SnapshotSources = {
  readonly journal: Journal
  readonly progress: Progress
  readonly outlook: Outlook
  readonly driveSpace: readonly DriveSpace[]
  readonly settings: Settings | null
  readonly view: StandingContext
  /** The most serious problem that stops the station. */
  readonly stop: Problem | null
  readonly conditions: readonly StationCondition[]
  readonly reachable: boolean | null
  readonly allowance: Allowance
  readonly clockOffsetMs: number | null
  readonly folderOf: (path: string) => FolderSettings | undefined
  readonly folderState: (folder: FolderSettings) => Pick<FolderStatus, 'state' | 'problem' | 'problems'>
  /** The number of files in a watched folder at its last scan. Null before the first scan. */
  readonly filesIn?: (folder: string) => number | null
  readonly silenceOf: (folder: FolderSettings) => Silence | null
  /** The name of the station if the settings give it none. */
  readonly hostName: string
  readonly version?: string | null
  readonly nowMs: number
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/**
 * The report of this night. It counts the bytes in flight as sent, although the journal knows only acknowledged bytes.
 */
const nightReport = (
  views: Journal['views'],
  view: StandingContext,
  activeUploads: ReturnType<typeof liveUploads>,
  nowMs: number,
): MorningReport => {
  const { startMs } = nightAt(nowMs)
  const report = views.report(startMs, view)
  const inFlightBytes = activeUploads
    .filter(({ recording }) => recording.foundAtMs >= startMs)
    .filter(({ recording }) => partOf(standingOfRecording(recording, view)) === 'here')
    .reduce((sum, { recording, bytesSentOrInFlight }) => sum + bytesSentOrInFlight - recording.bytesSent, 0)
  return { ...report, sentBytes: report.sentBytes + inFlightBytes }
}

/** Builds the status that the tray, the window and the terminal show. */
export const takeSnapshot = (sources: SnapshotSources): Status => {
  const { journal, progress, settings, stop, view, nowMs } = sources
  const { views } = journal
  const figures = views.figures(view)
  const counts = figures.counts()
  const standings = figures.standings()
  const needs = figures.needs()
  // The list may be too long, because the settler updates it after the journal.
  const finishing = Math.min(progress.settlingIds.length, standings.recording)
  const pause = journal.station.currentPause()
  const uploadNow = uploadNowOf(journal, sources.allowance)
  const folders = (settings?.folders ?? []).map((folder): FolderStatus => {
    return {
      path: folder.path,
      site: folder.site,
      device: folder.device ?? null,
      ...sources.folderState(folder),
      ...figures.folder(folder.path),
      lastFoundAt: isoOrNull(views.lastFoundAtMs(folder.path)),
      silence: sources.silenceOf(folder),
    }
  })
  // Held recordings already have a card among the recordings to check.
  const recordingProblems = views.problems().filter(({ problem }) => problem.code !== 'take-held')
  const problems = [
    ...sources.conditions.map((problem) => ({ problem, count: 0, examples: [] })),
    ...folders.flatMap(({ path, problems: folderProblems }) =>
      folderProblems.map(({ problem }) => ({ problem, count: 0, folder: path, examples: [] })),
    ),
    ...recordingProblems,
  ]
  const needAttentionCount = standings['needs-attention']
  const takesToCheck = journal.inspections.toCheck(
    MAX_TAKES_TO_CHECK,
    (folder) => sources.folderOf(folder)?.on_deviation === 'hold',
  )
  const silentFolders = folders.filter(({ silence }) => silence?.loud === true).map(({ path }) => path)
  const needsAttention =
    needAttentionCount > 0 ||
    sources.conditions.some(problemNeedsAttention) ||
    foldersInTrouble(folders) > 0 ||
    silentFolders.length > 0 ||
    takesToCheck.count > 0 ||
    sources.driveSpace.some(({ low }) => low)
  const total = totalOf(standings)
  const inProgress = standings.recording + standings.waiting + standings.uploading + standings['at-service']
  const activeUploads = liveUploads(journal, progress)
  const bytesLeft = bytesLeftOf(figures.bytesLeft(), activeUploads)
  const forecast = sources.outlook.forecast({
    settings:
      settings === null
        ? null
        : { transfer: settings.transfer, folders: settings.folders.map((folder) => folder.path) },
    bytes: bytesLeft,
    stopped: stop !== null,
    pause,
    hoursIgnoredUntilMs: hoursIgnoredUntilMs(uploadNow),
    bytesPerSecondNow: progress.bytesPerSecond,
    nowMs,
  })
  const uploads = uploadsInProgress(journal, progress, view, { forecast, nowMs })
  const closedUntilMs =
    sources.allowance.kind === 'closed' && settings !== null ? sources.allowance.opensAtMs : null
  const pausedUntil = isoOrNull(pause?.untilMs ?? null)
  const state = ((): StationState => {
    if (settings === null) return 'starting'
    // A temporary problem must not hide one that needs attention.
    if (needsAttention) return 'attention'
    if (stop !== null) return stationStateOf(stop.code)
    if (pause !== null) return 'paused'
    if (inProgress > 0) return 'working'
    // The recorder of a silent folder may be dead, so the state must not be `idle` (“All safe”).
    const isSilent = folders.some(({ silence }) => silence !== null)
    return total > 0 && standings.safe === total && !isSilent ? 'idle' : 'resting'
  })()
  return {
    at: new Date(nowMs).toISOString(),
    station: {
      name: settings?.app.station_name ?? sources.hostName,
      state,
      ...headlineOf({
        configured: settings !== null,
        standings,
        finishing,
        needs,
        conditions: sources.conditions,
        paused: pause !== null,
        pausedUntil,
        pausedSince: isoOrNull(pause?.sinceMs ?? null),
        windowOpensAt: isoOrNull(closedUntilMs),
        uploadNow,
        folders,
        silentFolders,
        takesToCheck: takesToCheck.count,
        driveSpace: sources.driveSpace,
        forecast,
        lastProcessedAtMs: views.lastProcessedAtMs(),
        nowMs,
      }),
      paused: pause !== null,
      pausedUntil,
      problem: stop,
      conditions: sources.conditions,
      outsideWindowUntil: isoOrNull(closedUntilMs),
      uploadNow,
      clockOffsetMs: sources.clockOffsetMs,
      serviceReachable: sources.reachable,
      testKey: journal.station.usesTestKey(),
    },
    counts,
    standings,
    needAttention: needAttentionCount,
    needs,
    transfer: {
      bytesPerSecond: progress.bytesPerSecond,
      bytesLeft,
      uploads,
      waiting: standings.waiting + standings.uploading - uploads.length,
      processing: standings['at-service'],
    },
    forecast,
    // If the last scan counted no safe bytes, but the drive has safe recordings, the scan may be outdated. So show
    // the safe bytes as unknown, not as zero.
    driveSpace: sources.driveSpace.map((drive) =>
      drive.safeBytes === 0 && figures.standingsIn(drive.folders).safe > 0
        ? { ...drive, safeBytes: null }
        : drive,
    ),
    drives: sources.driveSpace
      .filter(({ space }) => space !== null)
      .map((drive) => {
        const onDrive = folders.filter(({ path }) => drive.folders.includes(path))
        return driveSafety({
          drive: drive.name,
          removable: drive.removable ?? false,
          folders: onDrive,
          standings: figures.standingsIn(onDrive.map(({ path }) => path)),
          files: onDrive.map(({ path }) => sources.filesIn?.(path) ?? null),
        })
      }),
    folders,
    problems,
    takesToCheck,
    recent: views.recent(RECENT_ROWS).map((recording) => rowOf(recording, progress, view, sources.folderOf)),
    report: nightReport(views, view, activeUploads, nowMs),
    update: updateStatus(journal, sources.version ?? null, settings),
  }
}
