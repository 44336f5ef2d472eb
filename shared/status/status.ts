import type { SessionIssue, SessionStatus } from '../contract/control-api.ts'
import type { FolderSettings } from '../settings/settings.ts'
import type { DriveSafety } from './drive-safety.ts'
import type { Forecast } from './forecast.ts'
import type { DriveSpace } from './free-space.ts'
import type { Inspection } from './inspection.ts'
import type { NightPart } from './night-parts.ts'
import { type Problem, type ProblemCode, problemNeedsAttention, type StationCondition } from './problem.ts'
import type { ProblemOwner } from './problem-terms.ts'
import type { Standing } from './standing.ts'
import type { UpdateStatus } from './update-status.ts'

/** The status that the agent sends to window, tray and terminal. Plain data without secrets or signed URLs. */

export const recordingStates = [
  'growing',
  'queued',
  'hashing',
  'ready',
  'uploading',
  'completing',
  'processing',
  'processed',
  'failed',
  'gone',
] as const

export type RecordingState = (typeof recordingStates)[number]

/** The actions that a user can apply to recordings. */
export const recordingActions = ['retry', 'prioritise', 'pause', 'resume', 'dismiss'] as const
export type RecordingAction = (typeof recordingActions)[number]

export type RecordingRow = {
  readonly id: number
  readonly path: string
  readonly name: string
  readonly folder: string
  /** The name of the take that the file belongs to. Null if the file is a take by itself. */
  readonly take: string | null
  /** Set if the row stands for all files of the take. Its sizes are sums, and its state is the state of the take. */
  readonly wholeTake: WholeTake | null
  readonly site: string
  readonly state: RecordingState
  readonly standing: Standing
  readonly bytes: number
  readonly bytesHashed: number
  readonly bytesSent: number
  readonly bytesPerSecond: number | null
  readonly partsTotal: number | null
  readonly partsSent: number
  readonly sessionId: string | null
  /** Why the recording waits, has failed or is gone. While it waits, `state` is the stage that it has reached. */
  readonly problem: Problem | null
  /** When the problem began. */
  readonly heldSince: string | null
  /** When the file will be finished if it does not change. Null while a program writes it, and once it is finished. */
  readonly settlesAt: string | null
  /** The name of the file that this file waits for: an unfinished or missing file of its take. Null if none. */
  readonly waitsFor: string | null
  readonly prioritised: boolean
  readonly paused: boolean
  /**
   * True if a user started the upload of this single recording outside the upload hours. False again once the next
   * upload hours begin.
   */
  readonly uploadNow: boolean
  readonly foundAt: string
  readonly changedAt: string
  /** When Sluice removed the file by the folder's rules. Null if Sluice has not removed it. */
  readonly removedAt: string | null
  /** Where Sluice moved the file. Null if Sluice deleted the file or has not removed it. */
  readonly movedTo: string | null
}

export type WholeTake = {
  readonly files: number
  readonly safe: number
  /** True if a file was added or changed after the take was finished. */
  readonly isReopened: boolean
}

/** A take with the rows of its files. */
export type TakeDetail = {
  readonly row: RecordingRow
  /** At most 1,000 files, sorted by path. If the take has more, files that need attention come first. */
  readonly files: readonly RecordingRow[]
  /** The IDs of all files. */
  readonly ids: readonly number[]
  /** For each action on the take, the IDs of the files to which it applies. */
  readonly targets: Readonly<Record<RecordingAction, readonly number[]>>
}

export type TimelineEntry = {
  readonly at: string
  readonly from: RecordingState | null
  readonly to: RecordingState
  readonly reason: string
  readonly requestId: string | null
}

export type PartState = 'missing' | 'sending' | 'sent'

export type RecordingDetail = RecordingRow & {
  readonly sha256: string | null
  readonly modifiedAt: string
  readonly partSizeBytes: number | null
  /** One entry per part, in order. */
  readonly parts: readonly PartState[]
  readonly timeline: readonly TimelineEntry[]
  readonly duplicateOf: string | null
  readonly session: SessionSummary | null
  /** The content of the file. Null before the inspection, and if Sluice cannot inspect the file. */
  readonly inspection: Inspection | null
  /** Sentences about differences between the service's findings and this PC's findings. */
  readonly differences: readonly string[]
  /** Sentences about how the file deviates from the expectation or the usual content of its folder. */
  readonly deviations: readonly string[]
}

/** A finished recording that deviates from the expectation or the usual content of its folder. */
export type TakeToCheck = {
  readonly id: number
  readonly name: string
  readonly folder: string
  /** True if Sluice uploads the recording only after a user has decided. */
  readonly isHeld: boolean
  /** True if Sluice will hold the recording (`on_deviation: hold`) as soon as its take is finished. */
  readonly willBeHeld: boolean
  readonly deviations: readonly string[]
}

/** The recordings with deviations that no user has dismissed. */
export type TakesToCheck = {
  readonly count: number
  /** How many of these recordings wait for a decision. Their standing is `needs-attention`. */
  readonly held: number
  /** Newest first, at most 20. */
  readonly newest: readonly TakeToCheck[]
}

export type SessionSummary = {
  readonly id: string
  readonly status: SessionStatus | (string & {})
  readonly site: string | null
  readonly device: string | null
  readonly filename: string | null
  readonly bytes: number | null
  readonly recordedAt: string | null
  readonly durationS: number | null
  readonly channels: readonly string[]
  readonly segmentCount: number | null
  readonly issues: readonly SessionIssue[]
  readonly createdAt: string | null
  readonly processedAt: string | null
}

/** The layout of the list, without its rows. */
export type RecordingOutline = {
  /**
   * How many files of each standing match the query without its filter for standings. Null if the search returned only
   * the newest matches.
   */
  readonly standings: Readonly<Record<Standing, number>> | null
  /** How many recordings are listed first because they need attention. */
  readonly pinned: number
  /** The recordings that are not pinned, by night, in list order. Empty if the list is not sorted by `foundAt`. */
  readonly nights: readonly {
    readonly day: string
    readonly count: number
    /** How many of the pinned recordings belong to this night. */
    readonly pinned: number
  }[]
}

export type RecordingPage = {
  readonly total: number
  /** True if a search in a large journal found more than `total` rows, so that only the newest are included. */
  readonly hasMore: boolean
  readonly rows: readonly RecordingRow[]
  /** Null unless the query requests it. */
  readonly outline: RecordingOutline | null
}

export type FolderProblem = {
  readonly problem: Problem
  readonly since: string
  /** Files and subfolders that Sluice skips because of the problem: at most 100 paths, very long ones shortened. */
  readonly leftOut: readonly string[]
  /** The total number of skipped files and subfolders. */
  readonly leftOutCount: number
  /**
   * Set if `leftOut` is incomplete, but still contains at least one path of every take with skipped files. The value is
   * the folder's setting `take` at the time of the scan.
   */
  readonly hasEachTakeOf?: FolderSettings['take']
}

export type FolderStatus = {
  readonly path: string
  readonly site: string
  readonly device: string | null
  readonly state: 'watching' | 'scanning' | 'offline' | 'replaced' | 'unusable'
  /** The first of `problems`. */
  readonly problem: Problem | null
  /** All problems of the folder, most serious first. */
  readonly problems: readonly FolderProblem[]
  readonly recordings: number
  /** How many recordings of the folder have the standing `waiting` or `uploading`. */
  readonly waiting: number
  readonly lastFoundAt: string | null
  /** Set if the folder has no recordings, but usually has some by now. A missing folder has a problem instead. */
  readonly silence: Silence | null
}

export type Silence = {
  /** True if the headline, the tray and a notification show the silence. */
  readonly loud: boolean
  /** "Hall 3 usually has 30 recordings by now; none since 18:00." */
  readonly sentence: string
  /** The evidence, on one line. */
  readonly because: string
  /** The time of the last recording, or the start of the night. */
  readonly since: string
  /** The night that "Dismiss for tonight" applies to. */
  readonly night: string
  /** The usual number of recordings by now, and the actual one. */
  readonly usual: number
  readonly tonight: number
}

/** The number of watched folders that need attention. */
export const foldersInTrouble = (folders: readonly FolderStatus[]): number =>
  folders.filter(({ problems }) => problems.some(({ problem }) => problemNeedsAttention(problem))).length

const uncheckedCodes: readonly ProblemCode[] = ['folder-offline', 'folder-replaced', 'folder-unreadable']

type FolderWithProblems = { readonly problems: readonly { readonly problem: Pick<Problem, 'code'> }[] }

/** The folders that Sluice cannot scan. They may contain recordings that Sluice does not know. */
export const uncheckedFolders = <Folder extends FolderWithProblems>(
  folders: readonly Folder[],
): readonly Folder[] =>
  folders.filter(({ problems }) => problems.some(({ problem }) => uncheckedCodes.includes(problem.code)))

export const hasUncheckedFolder = (folders: readonly FolderWithProblems[]): boolean =>
  uncheckedFolders(folders).length > 0

/**
 * `idle`: nothing to do, all safe. `resting`: nothing to do, but something is not safe, a folder is silent, or there
 * are no recordings yet.
 */
export const stationStates = [
  'starting',
  'idle',
  'resting',
  'working',
  'paused',
  'attention',
  'offline',
] as const
export type StationState = (typeof stationStates)[number]

/** The recordings of the current night by standing. A night begins at 18:00 on this PC's clock. */
export type MorningReport = {
  readonly since: string
  readonly recorded: number
  readonly bytes: number
  /** The counts add up to `recorded`. */
  readonly standings: Readonly<Record<Standing, number>>
  /** The bytes of each part of the night bar. They add up to `bytes`. */
  readonly partBytes: Readonly<Record<NightPart, number>>
  /** The uploaded bytes of the recordings in the night part `here`, including bytes in flight. */
  readonly sentBytes: number
}

export type ProblemGroup = {
  readonly problem: Problem
  /** The number of affected recordings. 0 for a problem of the station or of a folder. */
  readonly count: number
  /** Set for a problem of a watched folder. */
  readonly folder?: string
  /** A few of the affected recordings. */
  readonly examples: readonly { readonly id: number; readonly name: string }[]
}

/** A recording that is being uploaded now. */
export type UploadProgress = {
  readonly id: number
  /** The file name. */
  readonly name: string
  /** Includes bytes in flight. Rounded down, so 100 means that no byte is left to send. */
  readonly percent: number
  readonly bytesLeft: number
  /** Null while nothing is sent, in the first second, and below 1 kB/s. */
  readonly bytesPerSecond: number | null
  /** Null if `bytesPerSecond` is null. Never longer than the forecast for the whole queue. */
  readonly secondsLeft: number | null
  /** True for a recording below 1 MiB. It does not count towards `transfer.parallel_recordings`. */
  readonly isSmall: boolean
}

/** The upload queue. Each recording is in at most one of `uploads`, `waiting` and `processing`. */
export type Transfer = {
  /** The speed of all uploads together. Null while nothing is sent, in the first second, and below 1 kB/s. */
  readonly bytesPerSecond: number | null
  /** Bytes still to upload, of recordings that need no attention. */
  readonly bytesLeft: number
  /** The recordings that are being sent, in the order in which they started. */
  readonly uploads: readonly UploadProgress[]
  /** Recordings on this PC that wait to be uploaded and need no attention. */
  readonly waiting: number
  /** Recordings that are uploaded, not processed yet, and need no attention. */
  readonly processing: number
}

/** Uploads that a user started outside the upload hours. Null if there are none, and inside the hours. */
export type UploadNowStatus = {
  /** When the next upload hours begin and this permission ends. Null if no upload hours follow. */
  readonly until: string | null
  /** True: the user started the upload of all recordings. False: only of single recordings. */
  readonly station: boolean
  /** The number of single recordings that the user started and that are not uploaded yet. */
  readonly recordings: number
}

export type Status = {
  readonly at: string
  readonly station: {
    /** `app.station_name`, or the host name. */
    readonly name: string
    readonly state: StationState
    /** One clause, usually of at most eight words: "1 recording needs you". Names who has to act, if there is space. */
    readonly headline: string
    /** Further facts in a few words each: "1 recording needs support · 29 of 42 safe". May be empty. */
    readonly detail: string
    readonly pausedUntil: string | null
    readonly paused: boolean
    /** The most serious condition that stops the whole station. */
    readonly problem: Problem | null
    /** All conditions of the station, most serious first. */
    readonly conditions: readonly StationCondition[]
    readonly outsideWindowUntil: string | null
    readonly uploadNow: UploadNowStatus | null
    readonly clockOffsetMs: number | null
    readonly serviceReachable: boolean | null
    /** True if the key in use is a test key (§5.3). */
    readonly testKey: boolean
  }
  readonly counts: Readonly<Record<RecordingState, number>>
  /** All recordings of this station, each counted once. */
  readonly standings: Readonly<Record<Standing, number>>
  /** Recordings that need attention. Dismissed recordings are not counted. */
  readonly needAttention: number
  /** Recordings that need attention, by the person who has to act. */
  readonly needs: Readonly<Record<ProblemOwner, number>>
  readonly transfer: Transfer
  /** When the upload queue will be empty. */
  readonly forecast: Forecast
  /** The drives of the watched folders. */
  readonly driveSpace: readonly DriveSpace[]
  /** Whether each of these drives can be unplugged. Leaves out drives that are missing or have never answered. */
  readonly drives: readonly DriveSafety[]
  readonly folders: readonly FolderStatus[]
  readonly problems: readonly ProblemGroup[]
  readonly takesToCheck: TakesToCheck
  readonly recent: readonly RecordingRow[]
  readonly report: MorningReport
  readonly update: UpdateStatus
}

/** The bytes sent to the storage in each period of `bucketSeconds`, oldest period first. */
export type Throughput = {
  readonly bucketSeconds: number
  readonly endsAt: string
  readonly bytes: readonly number[]
}

export type SessionListPage = {
  readonly sessions: readonly SessionSummary[]
  readonly nextCursor: string | null
}
