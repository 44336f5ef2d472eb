import type {
  CompleteSessionRequest,
  CreateSessionRequest,
  DeletedSession,
  EventType,
  SessionIssue,
} from '../../shared/contract/control-api.ts'
import type { DeliveryRefusal } from '../../shared/contract/webhooks.ts'
import type { MonitoringState } from '../../shared/ipc/monitoring.ts'
import type { FolderSettings } from '../../shared/settings/settings.ts'
import type { ProblemCode, Status } from '../../shared/status/status.ts'
import type { ConditionName } from './domain/conditions.ts'
import { type Failure, type Outcome, type Remote, wordsOf } from './domain/failure.ts'
import type { FileIdentity } from './domain/file-identity.ts'

/** What the stages need from the world. `service` and `platform` implement these; stages import only this page. */

export type Clock = {
  /** Milliseconds since 1970; may jump. For people and for the service. */
  readonly wallMs: () => number
  /** Milliseconds that never go back. For every "how long". */
  readonly monotonicMs: () => number
}

/** Uniform in [0, 1). */
export type Random = () => number

export type Log = {
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  /** Where many lines come at once, one write is cheaper than one for each. */
  readonly together?: (work: () => void) => void
}

/** What is true of the whole station at once: each condition is raised once for all recordings that would meet it. */
export type StationConditions = {
  /** No condition keeps requests back, and the key is known to be the station's own. */
  readonly mayAsk: () => boolean
  /** Not paused, and inside the upload hours. */
  readonly wantsUploads: () => boolean
  /** Uploads are wanted and the storage answers: parts whose URLs are known may go, whatever the control API does. */
  readonly maySend: () => boolean
  /** May both ask and send. */
  readonly mayUpload: () => boolean
  readonly code: (name: ConditionName) => ProblemCode | null
  readonly raise: (
    name: ConditionName,
    code: ProblemCode,
    details?: {
      readonly detail?: string | undefined
      readonly requestId?: string | null
      readonly afterMs?: number | null
    },
  ) => void
  readonly clear: (name: ConditionName) => void
  readonly probeDue: (name: ConditionName) => boolean
  readonly probing: (name: ConditionName) => void
  readonly heard: (remote: Remote, askedAtMs: number) => void
  readonly broke: (remote: Remote) => void
  readonly found: (sessionId: string, isThere: boolean) => void
  /** How often in a row the service denied this session, and since how long. */
  readonly denied: (sessionId: string) => { readonly times: number; readonly forMs: number }
  /** Failures in a row, over all recordings. */
  readonly streak: (remote: Remote) => number
  /** Whether the key is known to open the organisation that has this station's sessions. */
  readonly trusted: boolean
  readonly trust: () => void
}

/** What is under way right now. Not truth, only for the eye: lost in a crash, and nobody misses it. */
export type ProgressBoard = {
  readonly hashed: (recordingId: number, bytes: number) => void
  readonly sending: (recordingId: number, part: number, bytes: number) => void
  readonly partDone: (recordingId: number, part: number) => void
  readonly forget: (recordingId: number) => void
}

/* ---- service ---- */

/** A session as far as the answer could be understood: new fields and states of the preview pass (§9.3). */
export type RemoteSession = {
  readonly id: string
  /** One of §3's states, or a state that a later preview invented. */
  readonly status: string
  readonly site: string | null
  readonly device: string | null
  readonly filename: string | null
  readonly bytes: number | null
  readonly sha256: string | null
  readonly recordedAt: string | null
  readonly durationS: number | null
  readonly channels: readonly string[]
  readonly segmentCount: number | null
  readonly issues: readonly SessionIssue[]
  readonly notes: string | null
  readonly createdAt: string | null
  readonly processedAt: string | null
  readonly upload: RemoteUpload | null
}

export type RemoteUpload = {
  readonly partSize: number
  readonly expiresAtMs: number
  readonly parts: readonly { readonly number: number; readonly url: string }[]
}

/** §2.3. Content is compared where a service shows it. */
export type CreatedSession = {
  readonly id: string
  readonly upload: RemoteUpload
  readonly sha256?: string | undefined
  readonly bytes?: number | undefined
}

export type SessionFilter = {
  readonly site?: string
  readonly status?: string
  readonly createdFrom?: string
  readonly createdBefore?: string
  readonly limit?: number
  readonly cursor?: string
}

/** §4.5 */
export type SessionPage = {
  readonly sessions: readonly RemoteSession[]
  readonly nextCursor: string | null
  /** There are more pages, and the answer does not say how to get them. */
  readonly isCutOff?: boolean
  /** The content of listed sessions that cannot be read otherwise. */
  readonly unreadableSha256?: readonly string[]
}

/** Each answer keeps its Request-Id, so that a timeline entry can be quoted to the service's people. */
export type Answered<T> = { readonly value: T; readonly requestId: string | null }

export type ServiceClient = {
  readonly createSession: (
    request: CreateSessionRequest,
    idempotencyKey: string,
    signal: AbortSignal,
  ) => Promise<Outcome<Answered<CreatedSession>>>
  readonly retrieveSession: (id: string, signal: AbortSignal) => Promise<Outcome<Answered<RemoteSession>>>
  readonly completeSession: (
    id: string,
    request: CompleteSessionRequest,
    idempotencyKey: string,
    signal: AbortSignal,
  ) => Promise<Outcome<Answered<RemoteSession>>>
  readonly listSessions: (
    filter: SessionFilter,
    signal: AbortSignal,
  ) => Promise<Outcome<Answered<SessionPage>>>
  readonly deleteSession: (id: string, signal: AbortSignal) => Promise<Outcome<Answered<DeletedSession>>>
  /** §4.7. The secret is told once and must never reach a log. */
  readonly createWebhookEndpoint: (
    url: string,
    events: readonly EventType[],
    idempotencyKey: string,
    signal: AbortSignal,
  ) => Promise<Outcome<Answered<{ readonly id: string; readonly secret: string }>>>
  /** What the key may do, without creating anything: a list, then a create that must be refused as malformed. */
  readonly testKey: (signal: AbortSignal) => Promise<Outcome<'read' | 'write'>>
  readonly sendPart: (part: PartToSend) => Promise<Outcome<{ readonly etag: string }>>
  /** Now, by the service's clock: the PC's may be wrong by days (§4.2, expiry is judged over there). */
  readonly nowMs: () => number
  readonly clockOffsetMs: () => number | null
  /** After sleep every open socket is presumed dead. */
  readonly reconnect: () => void
  readonly close: () => Promise<void>
}

export type PartToSend = {
  readonly url: string
  readonly sizeBytes: number
  /** Base64 of the binary digest (§4.2). */
  readonly sha256Base64: string
  /** Makes the body anew for each attempt; ends with an error when the file is not what it was. */
  readonly body: () => AsyncIterable<Uint8Array>
  /** Bytes that went out since the last call. */
  readonly onProgress: (moreBytes: number) => void
  readonly signal: AbortSignal
}

/* ---- where this PC listens ---- */

export type Door = {
  readonly address: string
  readonly port: number
  readonly close: () => Promise<void>
}

export type OpenedDoor =
  | { readonly ok: true; readonly door: Door }
  | { readonly ok: false; readonly reason: 'port-taken' | 'address-missing'; readonly detail: string }

/* ---- events of the service ---- */

export type WebhookDoorOptions = {
  readonly address: string
  readonly port: number
  readonly secrets: () => readonly string[]
  readonly nowMs: () => number
  /** True once it is durable; false where it could not be noted. */
  readonly note: (event: {
    readonly id: string
    readonly type: string
    readonly sessionId: string | null
  }) => boolean
  readonly refused: (reason: DeliveryRefusal) => void
}

export type OpenWebhookDoor = (options: WebhookDoorOptions) => Promise<OpenedDoor>

/** What is not worth a journal: how receiving goes in this run. */
export type WebhookBoard = {
  listening: { readonly address: string; readonly port: number } | null
  refused: {
    readonly count: number
    readonly lastAtMs: number
    readonly reason: DeliveryRefusal
  } | null
}

/** All that receiving needs from the world. */
export type Webhooks = {
  readonly open: OpenWebhookDoor
  /** Of every endpoint that may still send. */
  readonly secrets: () => readonly string[]
  readonly board: WebhookBoard
}

/* ---- those who watch the station from outside ---- */

export type MetricsDoorOptions = {
  readonly address: string
  readonly port: number
  /** Null: only programs on this PC are answered. */
  readonly token: string | null
  /** Null where there is nothing to tell at present. */
  readonly text: () => string | null
  readonly refused: () => void
}

export type OutgoingMessage = {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly text: string }
}

/** What became of a message. The sentence names the host and nothing else of the URL. */
export type Delivery =
  | { readonly ok: true }
  | { readonly ok: false; readonly sentence: string; readonly retryAfterMs: number | null }

export type Delivered = {
  readonly lastOkAtMs: number | null
  readonly failure: { readonly atMs: number; readonly sentence: string } | null
}

/** How it goes in this run. */
export type MonitoringBoard = {
  listening: { readonly address: string; readonly port: number } | null
  lastAskedAtMs: number | null
  refused: number
  heartbeat: Delivered
  alert: Delivered
}

export type MonitoringWorld = {
  readonly openMetrics: (options: MetricsDoorOptions) => Promise<OpenedDoor>
  readonly metricsText: () => string | null
  /** As it was a moment ago: it is not made anew for everybody who asks. */
  readonly status: () => Status | null
  readonly send: (message: OutgoingMessage, signal: AbortSignal) => Promise<Delivery>
  readonly board: MonitoringBoard
  /** For the window. */
  readonly state: () => MonitoringState
}

/* ---- platform ---- */

export type FoundFile = { readonly path: string; readonly identity: FileIdentity }

export type ScanResult =
  | {
      readonly kind: 'scanned'
      readonly files: readonly FoundFile[]
      /** Paths inside the folder whose last name is no valid UTF-8, escaped for people: no string API can open them. */
      readonly unreadableNames: readonly string[]
      /** What the system refuses to show, with the system's code. */
      readonly unreadablePaths: readonly {
        readonly path: string
        readonly code: string
        readonly detail: string
      }[]
      /** Files under the name that one has only while it is on its way out. */
      readonly setAside: readonly string[]
      readonly volume: VolumeIdentity
    }
  | { readonly kind: 'offline'; readonly detail: string }
  | { readonly kind: 'unusable'; readonly detail: string }

/** Tells a folder that came back from another volume mounted at the same path. */
export type VolumeIdentity = { readonly device: string; readonly inode: string }

/** Whether other PCs may write to a folder, which nobody announces here. */
export type Sharing = 'own' | 'unknown' | 'shared'

export type FolderEyes = {
  /**
   * The truth: walks the folder. Applies include/exclude/recursive; never follows symlinks out of it. `enter` hears of
   * every folder before its files are read.
   */
  readonly scan: (
    folder: FolderSettings,
    signal: AbortSignal,
    enter?: (path: string) => void | Promise<void>,
  ) => Promise<ScanResult>
  /** Hints only: each call of `hint` means "look soon". */
  readonly watch: (folder: FolderSettings, listener: WatchListener, sharing: Sharing) => Listening
  readonly sharing: (path: string) => Promise<Sharing>
  /** Cheap presence check of the folder itself, for the 15-second heartbeat. */
  readonly volumeOf: (path: string) => Promise<VolumeIdentity | null>
}

/** A drive or share, as large as it is and with the room that this user has on it. */
export type Drive = {
  readonly device: string
  /** What people call it: `D:\`, `\\nas-02\capture\`, or where it is mounted. */
  readonly name: string
  readonly totalBytes: number
  readonly freeBytes: number
}

export type Drives = {
  /** The drive of a folder; null where the folder is not there. Waits for the drive, however long that takes. */
  readonly of: (folder: string) => Promise<Drive | null>
}

export type Listening = {
  /**
   * Called by a look, which awaits it: that folder is listened to from here on, so what the look does not find is announced. Null where
   * the system is listened to in another way: once that has begun, one more look is needed.
   */
  readonly enter: ((path: string) => void | Promise<void>) | null
  readonly close: () => Promise<void>
}

export type WatchListener = {
  /** The system announces changes from now on. */
  readonly ready: () => void
  readonly hint: (path: string) => void
  readonly error: (detail: string) => void
}

/** `unknown` where the format says nothing. */
export type FileInspection = {
  readonly format: 'mcap' | 'wav' | 'other'
  readonly complete: 'yes' | 'no' | 'unknown'
  /** Whether another process has it open for writing; `unseen` where the system cannot tell. */
  readonly writer: 'open' | 'none' | 'unseen'
  /** Changes with its first and last bytes. Windows keeps size and times back while a writer has the file open. */
  readonly sample: string
}

export type Files = {
  readonly identify: (path: string) => Promise<Outcome<FileIdentity>>
  /** `anew`: its writer is looked for now; otherwise an answer of the last second may serve. */
  readonly inspect: (path: string, look?: 'anew') => Promise<Outcome<FileInspection>>
  /** Opens once; parts of one recording share the handle. */
  readonly open: (path: string) => Promise<Outcome<OpenRecording>>
  readonly exists: (path: string) => Promise<boolean>
  /** The beginning of a small text beside a recording; null where there is none. */
  readonly readText: (path: string, mostBytes: number) => Promise<Outcome<string | null>>
  readonly freeBytes: (folder: string) => Promise<number | null>
}

export type OpenRecording = {
  readonly identify: () => Promise<FileIdentity>
  /**
   * Streams a range. Throws FileChangedError when the range is short or the file is not the one it was before and
   * after the read, and FileUnreadableError when the system refuses to read. The bytes are not hashed again: an edit
   * that left no trace in the file's identity is refused by the storage (§4.2), and only then told from a bad line. A
   * chunk may be overwritten once the second one after it is asked for: whoever keeps it longer makes a copy.
   */
  readonly read: (range: {
    readonly start: number
    readonly length: number
    readonly identity: FileIdentity
    readonly pace?: (bytes: number) => Promise<void>
    /** Filled by the read and used in turn; another read may have them when nobody holds a chunk any more. */
    readonly buffers?: Buffer[]
  }) => AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/** What became of an act on a file. Only `done` changed anything that stays. */
export type FileActed =
  | { readonly kind: 'done' }
  /** It is not, or was not in the end, the file that was meant: it has its name back. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'vanished' }
  /** Something has this name already. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'full' }
  | { readonly kind: 'other-drive' }
  | { readonly kind: 'refused'; readonly detail: string }

/** With the identity that the file has under its new name. */
export type SetAside =
  | { readonly kind: 'done'; readonly identity: FileIdentity }
  | Exclude<FileActed, { kind: 'done' }>

/**
 * The only acts of Sluice that change what a recorder has written. None of them overwrites anything, and none leads out of
 * the watched folder or the folder that files are moved to. A drive that does not answer refuses; what it was asked last
 * may still happen, as after a kill.
 */
export type FileActs = {
  /** Gives the very file another name beside it, where nobody who knows its path finds it any more. */
  readonly setAside: (path: string, aside: string, identity: FileIdentity) => Promise<SetAside>
  /** Gives a file its name on the same drive, durably; with an identity, only if the file has it. */
  readonly place: (from: string, to: string, identity?: FileIdentity) => Promise<FileActed>
  /** Durably; with the time of the last write. What it began and could not end is removed. */
  readonly copy: (from: string, to: string, identity: FileIdentity, signal: AbortSignal) => Promise<FileActed>
  /** Removes a regular file; with an identity, only if the file has it. */
  readonly remove: (path: string, identity?: FileIdentity) => Promise<FileActed>
  /** Below a folder that is there. */
  readonly makeFolder: (folder: string) => Promise<FileActed>
  /** Where a folder really is; null where there is none. */
  readonly realFolder: (folder: string) => Promise<string | null>
  readonly sameDrive: (a: string, b: string) => Promise<boolean>
}

export class FileChangedError extends Error {}
/** The system refused to read. */
export class FileUnreadableError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(wordsOf(failure) ?? failure.kind)
    this.failure = failure
  }
}

export type HashRequest = {
  readonly path: string
  readonly identity: FileIdentity
  readonly partSizeBytes: number
  readonly onProgress: (bytesHashed: number) => void
  readonly signal: AbortSignal
}

export type HashResult = {
  readonly sha256: string
  /** Hex, in order; the last part is the short one. */
  readonly partSha256: readonly string[]
}

export type RangeDigest = 'md5' | 'sha256'
export type ByteRange = { readonly start: number; readonly length: number }

/** The threads that read whole files. */
export type HashThreads = {
  readonly hash: (request: HashRequest) => Promise<Outcome<HashResult>>
  /** Hex digest of a range as it is now: SHA-256 of a refused part, MD5 for the storage's ETag convention. */
  readonly digest: (algorithm: RangeDigest, path: string, range: ByteRange) => Promise<Outcome<string>>
  readonly close: () => Promise<void>
}

export type Advance =
  /** Hashed up to here; less than asked where that was not to be had. */
  | { readonly kind: 'advanced'; readonly bytes: number }
  /** Nothing of it holds any more. `rewritten`: by a writer that goes back to what it wrote. */
  | { readonly kind: 'lost'; readonly rewritten: boolean }

/**
 * Hashes of files that are still being written. No truth: what is forgotten here is read again. A recording is known
 * by its number, since files are renamed when they are finished.
 */
export type RunningHashes = {
  /** Goes on up to `toBytes`, from where it stands; from the beginning with another part size. */
  readonly advance: (request: {
    readonly id: number
    readonly path: string
    readonly identity: FileIdentity
    readonly partSizeBytes: number
    readonly toBytes: number
    readonly signal: AbortSignal
  }) => Promise<Outcome<Advance>>
  /**
   * The digests of a file that is finished, from what is left of it; null where what was hashed is no longer what
   * the file holds, or was cut otherwise, and all of it has to be read. It is kept until it is forgotten.
   */
  readonly finish: (request: HashRequest & { readonly id: number }) => Promise<Outcome<HashResult | null>>
  readonly partSizeOf: (id: number) => number | null
  readonly bytesOf: (id: number) => number
  readonly ids: () => readonly number[]
  readonly forget: (id: number) => void
  readonly close: () => Promise<void>
}
