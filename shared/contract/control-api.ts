/**
 * The wire types of the service's control API (version 1). The file has only types: the client validates answers with
 * its own tolerant schemas, and the server validates requests with its own strict ones. So a mistake of one side does
 * not hide a mistake of the other. Section numbers (§) refer to the service's contract.
 */

/** §3 */
export type SessionStatus = 'uploading' | 'uploaded' | 'processing' | 'processed' | 'failed'

/** §2.2 */
export type IssueSeverity = 'info' | 'warning' | 'error'

export type SessionIssue = {
  readonly code: string
  readonly severity: IssueSeverity
  readonly channel?: string
  readonly detail?: string
}

/** §2.2; `upload` is present only while the session is uploading (§4.4). */
export type Session = {
  readonly id: string
  readonly object: 'session'
  readonly site: string
  readonly device?: string
  readonly filename: string
  readonly bytes: number
  readonly sha256: string
  readonly status: SessionStatus
  readonly recorded_at?: string
  readonly duration_s?: number
  readonly channels?: readonly string[]
  readonly segment_count?: number
  readonly issues?: readonly SessionIssue[]
  readonly notes?: string
  readonly created_at: string
  readonly processed_at?: string
  readonly upload?: Upload
}

/** §2.3 */
export type Upload = {
  readonly part_size: number
  readonly expires_at: string
  readonly parts: readonly UploadPart[]
}

export type UploadPart = { readonly number: number; readonly url: string }

/** §2.3 */
export type CreatedSession = {
  readonly id: string
  readonly object: 'session'
  readonly status: 'uploading'
  readonly upload: Upload
}

/** §4.1 */
export type CreateSessionRequest = {
  readonly site: string
  readonly filename: string
  readonly bytes: number
  readonly sha256: string
  readonly part_size?: number
  readonly device?: string
  readonly notes?: string
}

/** §4.3 */
export type CompleteSessionRequest = {
  readonly parts: readonly { readonly number: number; readonly etag: string }[]
}

/** §2.4 */
export type DeletedSession = { readonly id: string; readonly object: 'session'; readonly deleted: true }

/** §2.5 */
export type List<T> = {
  readonly object: 'list'
  readonly data: readonly T[]
  readonly has_more: boolean
  readonly next_cursor?: string
}

/** §6.1 */
export type EventType = 'session.processed' | 'session.failed' | 'export.completed' | 'export.failed'

/** §6.2 */
export type WebhookEvent = {
  readonly id: string
  readonly type: EventType
  readonly created_at: string
  readonly data: {
    readonly object: {
      readonly id: string
      readonly object: 'session'
      readonly status: SessionStatus
      readonly segment_count?: number
      readonly issues?: readonly SessionIssue[]
    }
  }
}

/** §7 */
export type ErrorType =
  | 'invalid_request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'processing'
  | 'rate_limited'
  | 'api_error'

/** §7 */
export type ErrorBody = {
  readonly error: {
    readonly type: ErrorType
    readonly code: string
    readonly message: string
    readonly param?: string
    readonly request_id: string
  }
}
