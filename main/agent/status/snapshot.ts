import type { FolderSettings, Settings } from '../../../shared/settings.ts'
import type { FolderStatus, MorningReport, Problem, StationState, Status } from '../../../shared/status.ts'
import { needsSomebody } from '../../../shared/status.ts'
import { headline } from '../domain/headline.ts'
import type { Allowance } from '../domain/upload-windows.ts'
import type { Journal } from '../journal/journal.ts'
import type { Progress } from './progress.ts'
import { rowOf } from './recording-rows.ts'

const REPORT_HOUR = 18
const RECENT = 5

export type SnapshotSources = {
  readonly journal: Journal
  readonly progress: Progress
  readonly settings: Settings | null
  /** The gravest that keeps the station from going on. */
  readonly stop: Problem | null
  readonly conditions: readonly Problem[]
  readonly reachable: boolean | null
  readonly allowance: Allowance
  readonly clockOffsetMs: number | null
  readonly folderOf: (path: string) => FolderSettings | undefined
  readonly folderState: (folder: FolderSettings) => Pick<FolderStatus, 'state' | 'problem'>
  readonly nowMs: number
}

const yesterdayEvening = (nowMs: number): number => {
  const at = new Date(nowMs)
  at.setDate(at.getDate() - 1)
  at.setHours(REPORT_HOUR, 0, 0, 0)
  return at.getTime()
}

const reportOf = (journal: Journal, waiting: number, nowMs: number): MorningReport => {
  const sinceMs = yesterdayEvening(nowMs)
  const { views } = journal
  return {
    since: new Date(sinceMs).toISOString(),
    recorded: views.foundSince(sinceMs),
    uploaded: views.reachedSince(sinceMs, ['processing']),
    processed: views.reachedSince(sinceMs, ['processed']),
    failed: views.reachedSince(sinceMs, ['failed']),
    waiting,
  }
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** Journal rows become the one picture that tray, window and terminal show. */
export const takeSnapshot = (sources: SnapshotSources): Status => {
  const { journal, progress, settings, stop, nowMs } = sources
  const { views } = journal
  const counts = views.counts()
  const pause = journal.station.paused()
  const folders = (settings?.folders ?? []).map((folder): FolderStatus => {
    const seen = views.folder(folder.path)
    return {
      path: folder.path,
      site: folder.site,
      device: folder.device ?? null,
      ...sources.folderState(folder),
      recordings: seen.recordings,
      waiting: seen.waiting,
      lastFoundAt: isoOrNull(seen.lastFoundAtMs),
    }
  })
  const ofRecordings = views.problems()
  const problems = [
    ...sources.conditions.map((problem) => ({ problem, count: 0, examples: [] })),
    ...folders.flatMap(({ path, problem }) =>
      problem === null ? [] : [{ problem, count: 0, folder: path, examples: [] }],
    ),
    ...ofRecordings,
  ]
  const needPerson = views.needPerson()
  const brokenFolder = folders.find((folder) => folder.state !== 'watching' && folder.state !== 'scanning')
  const toUpload = counts.queued + counts.hashing + counts.ready + counts.uploading + counts.completing
  const bytesLeft = views.bytesLeft()
  const bytesPerSecond = Math.round(progress.bytesPerSecond)
  const etaSeconds = bytesPerSecond > 1_000 && bytesLeft > 0 ? Math.round(bytesLeft / bytesPerSecond) : null
  const closedUntil =
    sources.allowance.kind === 'closed' && settings !== null ? sources.allowance.opensAtMs : null
  const pausedUntil = isoOrNull(pause?.untilMs ?? null)
  const state = ((): StationState => {
    if (settings === null) return 'starting'
    if (stop !== null) return needsSomebody(stop) ? 'attention' : 'offline'
    if (needPerson > 0 || brokenFolder !== undefined) return 'attention'
    if (pause !== null) return 'paused'
    return toUpload > 0 || counts.processing > 0 || counts.growing > 0 ? 'working' : 'idle'
  })()
  return {
    at: new Date(nowMs).toISOString(),
    station: {
      state,
      headline: headline({
        configured: settings !== null,
        counts,
        stop,
        paused: pause !== null,
        pausedUntil,
        windowOpensAt: isoOrNull(closedUntil),
        folderProblem:
          brokenFolder === undefined ? null : `${brokenFolder.path}: ${brokenFolder.problem?.sentence ?? ''}`,
        needPerson,
        etaSeconds,
        lastProcessedAtMs: views.lastProcessedAtMs(),
        nowMs,
      }),
      paused: pause !== null,
      pausedUntil,
      problem: stop,
      conditions: sources.conditions,
      outsideWindowUntil: isoOrNull(closedUntil),
      clockOffsetMs: sources.clockOffsetMs,
      serviceReachable: sources.reachable,
    },
    counts,
    needPerson,
    transfer: { bytesPerSecond, bytesLeft, etaSeconds },
    folders,
    problems,
    recent: views.recent(RECENT).map((recording) => rowOf(recording, progress, sources.folderOf)),
    report: reportOf(journal, toUpload + counts.growing, nowMs),
  }
}
