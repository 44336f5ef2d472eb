import type {
  CompleteSessionRequest,
  CreateSessionRequest,
  DeletedSession,
  EventType,
  SessionIssue,
} from '../../../shared/contract/control-api.ts'
import type { Outcome } from '../domain/failure.ts'

/**
 * The fields of a session that Sluice uses. A later preview may add fields and states (§9.3), so Sluice accepts unknown
 * fields and states.
 */
export type RemoteSession = {
  readonly id: string
  /** One of §3's states, or a state that a later preview added. */
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
  readonly partSizeBytes: number
  readonly expiresAtMs: number
  readonly parts: readonly { readonly number: number; readonly url: string }[]
}

/** §2.3. If the service also returns `sha256` and `bytes`, Sluice compares them with those of the recording. */
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
  /** True if the answer announces more pages but has no cursor for them. */
  readonly isCutOff?: boolean
  /** Sluice skips the invalid sessions of a page. These are their `sha256` values. */
  readonly unreadableSha256?: readonly string[]
}

/** The timeline shows the Request-Id, so that a user can quote it to the service's support. */
export type Answered<T> = {
  readonly value: T
  readonly requestId: string | null
  /** True if a cache answered. The value may then be outdated. */
  readonly isCached?: boolean
}

export type ServiceClient = {
  /** Whether the key is a test key (§5.3). With a test key, Sluice removes no file. */
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
  /** §4.7. The service returns the secret only once. The secret must never reach a log. */
  readonly createWebhookEndpoint: (
    url: string,
    events: readonly EventType[],
    idempotencyKey: string,
    signal: AbortSignal,
  ) => Promise<Outcome<Answered<{ readonly id: string; readonly secret: string }>>>
  /**
   * Finds out whether the key may write. Lists sessions, then tries to create a session without the required fields.
   * The service must refuse this request.
   */
  readonly testKey: (signal: AbortSignal) => Promise<Outcome<'read' | 'write'>>
  readonly sendPart: (part: PartToSend) => Promise<Outcome<{ readonly etag: string }>>
  /**
   * The current time by the service's clock, which decides about expiry (§4.2). The PC's clock may be wrong by days.
   */
  readonly nowMs: () => number
  readonly clockOffsetMs: () => number | null
  /** Call this after sleep or a network change, when all open sockets may be dead. */
  readonly reconnect: () => void
  readonly close: () => Promise<void>
}

export type PartToSend = {
  readonly url: string
  readonly sizeBytes: number
  /** Base64 of the binary digest (§4.2). */
  readonly sha256Base64: string
  /** Creates a new body for each attempt. The stream fails if the file has changed. */
  readonly body: () => AsyncIterable<Uint8Array>
  readonly onProgress: (moreBytes: number) => void
  readonly signal: AbortSignal
}
