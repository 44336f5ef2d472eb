import type { SessionIssue, SessionStatus } from './control-api.ts'

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
  'blocked',
  'gone',
] as const

export type RecordingState = (typeof recordingStates)[number]

export type ProblemOwner = 'technician' | 'admin' | 'service'

export const problemCodes = [
  'empty-file',
  'file-unreadable',
  'file-vanished',
  'file-keeps-changing',
  'file-too-large',
  'file-name-not-text',
  'file-damaged',
  'folder-offline',
  'folder-replaced',
  'folder-unreadable',
  'folder-not-watched',
  'name-refused',
  'upload-refused',
  'checksum-mismatch',
  'processing-failed',
  'session-deleted',
  'session-elsewhere',
  'key-missing',
  'key-refused',
  'key-read-only',
  'key-other-organisation',
  'service-unreachable',
  'service-error',
  'service-answer-unreadable',
  'rate-limited',
  'proxy-sign-in',
  'certificate-refused',
  'clock-wrong',
  'disk-full',
  'journal-damaged',
  'unexpected',
] as const

export type ProblemCode = (typeof problemCodes)[number]

/** Why a recording or the station needs somebody: what it is, whose job, and what happens by itself. */
export type Problem = {
  readonly code: ProblemCode
  readonly owner: ProblemOwner
  readonly sentence: string
  readonly next: string
  readonly nextAt: string | null
  readonly requestId: string | null
}

export type RecordingRow = {
  readonly id: number
  readonly path: string
  readonly name: string
  readonly folder: string
  readonly site: string
  readonly state: RecordingState
  readonly bytes: number
  readonly bytesHashed: number
  readonly bytesSent: number
  readonly bytesPerSecond: number | null
  readonly etaSeconds: number | null
  readonly partsTotal: number | null
  readonly partsSent: number
  readonly sessionId: string | null
  readonly problem: Problem | null
  readonly urgent: boolean
  readonly paused: boolean
  readonly foundAt: string
  readonly changedAt: string
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

export type RecordingPage = { readonly total: number; readonly rows: readonly RecordingRow[] }

export type FolderStatus = {
  readonly path: string
  readonly site: string
  readonly device: string | null
  readonly state: 'watching' | 'scanning' | 'offline' | 'replaced' | 'unusable'
  readonly problem: Problem | null
  readonly recordings: number
  readonly waiting: number
  readonly lastFoundAt: string | null
}

export type StationState = 'starting' | 'idle' | 'working' | 'paused' | 'attention' | 'offline'

/** Since yesterday 18:00, local time. */
export type MorningReport = {
  readonly since: string
  readonly recorded: number
  readonly uploaded: number
  readonly processed: number
  readonly failed: number
  readonly waiting: number
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
    readonly state: StationState
    readonly headline: string
    readonly pausedUntil: string | null
    readonly paused: boolean
    /** Why the station as a whole does not go on, if it does not. */
    readonly problem: Problem | null
    readonly outsideWindowUntil: string | null
    readonly clockOffsetMs: number | null
    readonly serviceReachable: boolean | null
  }
  readonly counts: Readonly<Record<RecordingState, number>>
  /** Recordings that wait for a person. One that was marked as seen is no longer among them. */
  readonly needPerson: number
  readonly transfer: {
    readonly bytesPerSecond: number
    readonly bytesLeft: number
    readonly etaSeconds: number | null
  }
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
