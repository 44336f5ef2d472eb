import type {
  CompleteSessionRequest,
  CreateSessionRequest,
  DeletedSession,
  EventType,
  SessionIssue,
} from '../../../shared/contract/control-api.ts'
import type { Outcome } from '../domain/failure.ts'

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
  /** §5.3: sessions of this key are in a sandbox organisation. They are no reason to remove a file. */
  readonly usesTestKey: boolean
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
  /** §4.7. The service returns the secret once. It must never reach a log. */
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
  /** Creates a new body for each attempt; ends with an error if the file has changed. */
  readonly body: () => AsyncIterable<Uint8Array>
  /** Bytes that went out since the last call. */
  readonly onProgress: (moreBytes: number) => void
  readonly signal: AbortSignal
}

/* ---- where this PC listens ---- */
