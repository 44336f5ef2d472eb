import type { SessionIssue, SessionStatus } from '../contract/control-api.ts'
import { conditionProblemCodes } from './conditions.ts'
import type { Forecast } from './forecast.ts'
import type { EndsBy, ProblemOwner } from './problem-terms.ts'
import type { DriveRoom } from './room.ts'

/** What the agent tells the window, the tray and the terminal. Plain data; no secret, no signed URL. */

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

/**
 * What a person is told about a recording: where it stands, not which stage has it. Each recording has exactly one at
 * any time, so that figures made of them always add up.
 */
export const standings = [
  'recording',
  'waiting',
  'uploading',
  'at-service',
  'safe',
  'needs-someone',
  'set-aside',
  'elsewhere',
] as const
export type Standing = (typeof standings)[number]

export const problemCodes = [
  'empty-file',
  'file-busy',
  'file-unreadable',
  'file-vanished',
  'file-too-large',
  'file-name-not-text',
  'file-damaged',
  'folder-offline',
  'folder-replaced',
  'folder-unreadable',
  'folder-not-watched',
  'folder-removed',
  'folder-entry-unreadable',
  'folder-path-too-long',
  'site-refused',
  'device-refused',
  'notes-refused',
  'placeholder-unfilled',
  'name-refused',
  'part-size-refused',
  'size-refused',
  'checksum-refused',
  'parts-impossible',
  'upload-refused',
  'checksum-mismatch',
  'completion-pending',
  'processing-failed',
  'session-deleted',
  'session-elsewhere',
  'session-mismatch',
  'session-reopened',
  'look-up-failed',
  ...conditionProblemCodes,
  'unexpected',
] as const

export type ProblemCode = (typeof problemCodes)[number]

/** Why a recording or the station waits: what it is, whose job, what ends it, and when Sluice looks again. */
export type Problem = {
  readonly code: ProblemCode
  readonly owner: ProblemOwner
  /** What it is, with the other side's own words in brackets where there are any. */
  readonly sentence: string
  readonly next: string
  readonly endsBy: EndsBy
  /** When it is looked at next without anybody's doing. */
  readonly nextAt: string | null
  readonly requestId: string | null
  /** The parameter that the service refused (§7), where it named one. */
  readonly param: string | null
}

/** Waiting alone does not fix it, and nobody has decided to leave it. */
export const needsSomebody = ({ endsBy }: Pick<Problem, 'endsBy'>): boolean =>
  endsBy !== 'time' && endsBy !== 'folder'

export type RecordingRow = {
  readonly id: number
  readonly path: string
  readonly name: string
  readonly folder: string
  readonly site: string
  readonly state: RecordingState
  readonly standing: Standing
  readonly bytes: number
  readonly bytesHashed: number
  readonly bytesSent: number
  readonly bytesPerSecond: number | null
  readonly etaSeconds: number | null
  readonly partsTotal: number | null
  readonly partsSent: number
  readonly sessionId: string | null
  /** Why it waits, or why it came to its end (`failed`, `gone`). The state says how far it has come all the same. */
  readonly problem: Problem | null
  readonly heldSince: string | null
  readonly urgent: boolean
  readonly paused: boolean
  readonly foundAt: string
  readonly changedAt: string
  /** When Sluice took the file from its folder, by the folder's rules; null while it is there. */
  readonly removedAt: string | null
  /** Where it is since then; null where it was deleted. */
  readonly movedTo: string | null
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
  readonly partSize: number | null
  /** One entry per part, in order. */
  readonly parts: readonly PartState[]
  readonly timeline: readonly TimelineEntry[]
  readonly duplicateOf: string | null
  readonly session: SessionSummary | null
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

/** How the list is laid out, without its rows. */
export type RecordingOutline = {
  /** What each standing would show in place of the one that was asked for; null where that would take too long. */
  readonly standings: Readonly<Record<Standing, number>> | null
  /** How many stand on top because they need someone. */
  readonly pinned: number
  /** The others by night, in the order of the list; empty where the list is in another order than that of finding. */
  readonly nights: readonly {
    readonly day: string
    readonly count: number
    /** Of the same night, among those on top. */
    readonly pinned: number
  }[]
}

export type RecordingPage = {
  readonly total: number
  /** A search in a large journal found more than `total`: these are the newest of them. */
  readonly hasMore: boolean
  readonly rows: readonly RecordingRow[]
  /** Where it was asked for. */
  readonly outline: RecordingOutline | null
}

export type FolderProblem = {
  readonly problem: Problem
  readonly since: string
  /** Files and subfolders that are not taken because of it: at most 100 paths, very long ones shortened. */
  readonly leftOut: readonly string[]
  /** How many there are in all. */
  readonly leftOutCount: number
}

export type FolderStatus = {
  readonly path: string
  readonly site: string
  readonly device: string | null
  readonly state: 'watching' | 'scanning' | 'offline' | 'replaced' | 'unusable'
  /** The first of `problems`. */
  readonly problem: Problem | null
  /** All problems of the folder, the gravest first. */
  readonly problems: readonly FolderProblem[]
  readonly recordings: number
  /** On the way, as the headline counts it: not recording any more, not at its end, and nobody has to do anything. */
  readonly waiting: number
  readonly lastFoundAt: string | null
  /** It usually records by now and does not. Never of a folder that is not there: that is its problem. */
  readonly silence: Silence | null
}

export type Silence = {
  /** Told aloud: in the headline, the tray and a notification. */
  readonly loud: boolean
  /** "Hall 3 usually has 30 by now; none since 18:00." */
  readonly sentence: string
  /** How that is known, on one line. */
  readonly because: string
  /** Since when nothing came. */
  readonly since: string
  /** The night that "not expected tonight" is said of. */
  readonly night: string
  /** How many recordings there usually are by now, and how many there are. */
  readonly usual: number
  readonly tonight: number
}

/** One night, from 18:00 to 18:00 on this PC's clock. */
export type NightFigures = {
  /** The day on which it began: "2026-03-11". */
  readonly name: string
  readonly since: string
  readonly until: string
  readonly recorded: number
  readonly bytes: number
  /** They sum to `recorded`. */
  readonly standings: Readonly<Record<Standing, number>>
  /** Somebody looked. If not, this PC or Sluice was off, and nothing is known. */
  readonly watched: boolean
  /** Folders that were silent. */
  readonly silentFolders: number
}

/** The oldest first; the last is the night of now. */
export type Nights = {
  readonly station: readonly NightFigures[]
  readonly folders: readonly { readonly path: string; readonly nights: readonly NightFigures[] }[]
}

/** Watched folders that somebody has to see to. */
export const foldersInTrouble = (folders: readonly FolderStatus[]): number =>
  folders.filter(({ problems }) => problems.some(({ problem }) => needsSomebody(problem))).length

/** `idle`: nothing to do, all safe. `resting`: nothing to do, and not everything is safe, or nothing was ever found. */
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

/** What was recorded since the night began, the last 18:00 by this PC's clock, and where each of it stands now. */
export type MorningReport = {
  readonly since: string
  readonly recorded: number
  readonly bytes: number
  /** They sum to `recorded`. */
  readonly standings: Readonly<Record<Standing, number>>
}

export type ProblemGroup = {
  readonly problem: Problem
  /** How many recordings have it; 0 for a problem of the station or of a folder. */
  readonly count: number
  /** The watched folder whose problem it is. */
  readonly folder?: string
  /** A few of the recordings that have it. */
  readonly examples: readonly { readonly id: number; readonly name: string }[]
}

export type Status = {
  readonly at: string
  readonly station: {
    /** What people call this PC. */
    readonly name: string
    readonly state: StationState
    readonly headline: string
    readonly pausedUntil: string | null
    readonly paused: boolean
    /** Why the station as a whole does not go on, if it does not: the gravest of its conditions. */
    readonly problem: Problem | null
    /** All that is true of the station at once, the gravest first. */
    readonly conditions: readonly Problem[]
    readonly outsideWindowUntil: string | null
    readonly clockOffsetMs: number | null
    readonly serviceReachable: boolean | null
  }
  readonly counts: Readonly<Record<RecordingState, number>>
  /** All recordings of this station, each counted once. */
  readonly standings: Readonly<Record<Standing, number>>
  /** Recordings that waiting alone does not mend. One that was marked as seen is no longer among them. */
  readonly needPerson: number
  /** The same by whose job it is. */
  readonly needs: Readonly<Record<ProblemOwner, number>>
  readonly transfer: {
    readonly bytesPerSecond: number
    /** What is to be sent and goes on by itself. */
    readonly bytesLeft: number
  }
  /** When that will have been sent. */
  readonly forecast: Forecast
  /** The drives that are recorded on. */
  readonly room: readonly DriveRoom[]
  readonly folders: readonly FolderStatus[]
  readonly problems: readonly ProblemGroup[]
  readonly recent: readonly RecordingRow[]
  readonly report: MorningReport
}

/** Bytes acknowledged by the storage per bucket, oldest first. */
export type Throughput = {
  readonly bucketSeconds: number
  readonly endsAt: string
  readonly bytes: readonly number[]
}

export type SessionListPage = {
  readonly sessions: readonly SessionSummary[]
  readonly nextCursor: string | null
}
