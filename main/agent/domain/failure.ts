import type { ProblemCode } from '../../../shared/status/problem.ts'

/** The two remote sides: the control API, and the storage behind the signed URLs. */
export type Remote = 'control' | 'storage'
export type Origin = Remote | 'file' | 'journal' | 'none'

/**
 * All expected failures. Code that can fail in these ways returns an `Outcome`; a throw means a bug. Only
 * `retry-policy.ts` decides how to react.
 */
export type Failure =
  /** No answer. If `connected` is false, no connection was made. Otherwise, the connection closed half-way. */
  | {
      readonly kind: 'network'
      readonly origin: Remote
      readonly connected: boolean
      /** True if this PC has no network. Otherwise the remote side, or the way to it, has failed. */
      readonly isOffline?: true
      readonly detail: string
    }
  /** No progress until the timeout. If `connected` is false, no connection was made. */
  | {
      readonly kind: 'timeout'
      readonly origin: Remote
      readonly connected: boolean
      readonly detail: string
    }
  | { readonly kind: 'certificate'; readonly origin: Remote; readonly detail: string }
  | { readonly kind: 'proxy-sign-in'; readonly origin: Remote }
  /** A different server answered instead of the service: a sign-in page, a gateway's HTML or a redirect. */
  | {
      readonly kind: 'foreign-answer'
      readonly origin: Remote
      readonly detail: string
      readonly requestId: string | null
    }
  /** The service named an upload host that the settings do not allow (§4.2). Sluice sends nothing to it. */
  | { readonly kind: 'host-refused'; readonly origin: 'storage'; readonly detail: string }
  /** §5.4 (401) and §5.5 (403). Sluice treats both as conditions of the whole station. */
  | {
      readonly kind: 'auth'
      readonly reason: 'refused' | 'not-permitted'
      readonly message: string
      readonly requestId: string | null
    }
  /** §7: 429 from the control API, or 503 SlowDown from the storage. */
  | {
      readonly kind: 'rate-limited'
      readonly origin: Remote
      readonly retryAfterMs: number | null
      readonly message: string
      readonly requestId: string | null
    }
  /** §7: 5xx. Sluice may repeat the request with the same idempotency key. */
  | {
      readonly kind: 'service'
      readonly origin: Remote
      readonly status: number
      readonly retryAfterMs: number | null
      readonly message: string
      readonly requestId: string | null
    }
  /** The session exists, but the key belongs to a different organisation (§5.5). */
  | { readonly kind: 'other-organisation'; readonly message: string; readonly requestId: string | null }
  | { readonly kind: 'not-found'; readonly message: string; readonly requestId: string | null }
  | {
      readonly kind: 'conflict'
      readonly code: string
      readonly message: string
      readonly requestId: string | null
    }
  /** Any other 4xx: the same request will be refused again. */
  | {
      readonly kind: 'rejected'
      readonly origin: Remote
      readonly status: number
      readonly code: string
      readonly message: string
      readonly param: string | null
      readonly requestId: string | null
    }
  /** 403 for a list of sessions (§4.5). Every key may read (§5.2), so the 403 proves nothing about the key. */
  | { readonly kind: 'list-refused'; readonly message: string; readonly requestId: string | null }
  /** The service answered, but not in the shape of the contract. */
  | { readonly kind: 'unreadable-answer'; readonly detail: string; readonly requestId: string | null }
  /**
   * The list of sessions loops, breaks off or never ends, or lacks a SHA-256 that Sluice needs. So Sluice does not know
   * whether the recording has a session.
   */
  | { readonly kind: 'list-endless'; readonly detail: string; readonly requestId: string | null }
  /** The service lists a session and then denies it, perhaps because a replica lags. The session may still exist. */
  | { readonly kind: 'listed-session-denied'; readonly detail: string; readonly requestId: string | null }
  /**
   * The search for a session failed or was too slow, and the recording probably has no session. Only this recording
   * waits, because the rest of the service may work.
   */
  | { readonly kind: 'search-failed'; readonly detail: string; readonly requestId: string | null }
  /** The session that the service names has different content or belongs to a different recording. */
  | { readonly kind: 'session-mismatch'; readonly detail: string; readonly requestId: string | null }
  /** The service reopened the session after every completion. */
  | { readonly kind: 'session-reopened'; readonly requestId: string | null }
  /** A part size outside §8's limits, too many parts for a storage, or a part size that keeps changing. */
  | { readonly kind: 'parts-impossible'; readonly detail: string; readonly requestId: string | null }
  /** At each attempt, the service computed a different checksum than Sluice (§4.3). */
  | { readonly kind: 'checksum-mismatch'; readonly requestId: string | null }
  /** The storage refused the URL because the URL has expired. A new URL fixes this. */
  | { readonly kind: 'url-expired' }
  /** The storage computed a different checksum of the part than Sluice (§4.2). */
  | { readonly kind: 'part-corrupt' }
  /** 2xx without an ETag: the part does not count as stored. */
  | { readonly kind: 'etag-missing' }
  | { readonly kind: 'file-changed'; readonly detail: string }
  | { readonly kind: 'file-vanished' }
  /** The drive of the watched folder is missing, different or not scanned yet. The recording itself has no problem. */
  | { readonly kind: 'drive-away' }
  /** Another program uses the file, or the drive has a brief fault. Ends by itself. */
  | { readonly kind: 'file-busy'; readonly detail: string }
  /** Missing permissions, or not a regular file. A user must fix this. */
  | { readonly kind: 'file-unreadable'; readonly detail: string }
  /** In the folder's settings, a placeholder has no value, or the values make the text too long. */
  | {
      readonly kind: 'placeholder-unfilled'
      readonly field: 'site' | 'device' | 'notes'
      readonly detail: string
    }
  | { readonly kind: 'file-empty' }
  /** The format requires an end mark, but the file has none. */
  | { readonly kind: 'file-unfinished' }
  | { readonly kind: 'file-too-large' }
  /** The file changed after its marker file was written, and no program seems to be writing the file now. */
  | { readonly kind: 'marker-outdated' }
  /** No marker file came, and no program seems to be writing the file. `detail` is the name of the marker file. */
  | { readonly kind: 'marker-missing'; readonly detail: string }
  /** The recording deviates, and its folder puts such recordings on hold. */
  | { readonly kind: 'take-deviates'; readonly detail: string }
  | { readonly kind: 'journal-full' }
  | { readonly kind: 'journal-damaged' }
  /** Sluice stopped the work itself: a pause, a shutdown or changed settings. */
  | { readonly kind: 'cancelled' }

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure }

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value })
export const failed = (failure: Failure): Outcome<never> => ({ ok: false, failure })

export const urlsRefused: Failure = {
  kind: 'rejected',
  origin: 'storage',
  status: 403,
  code: '',
  message: 'the storage refuses every new URL',
  param: null,
  requestId: null,
}

export const requestIdOf = (failure: Failure): string | null =>
  'requestId' in failure ? failure.requestId : null

export const originOf = (failure: Failure): Origin => {
  if ('origin' in failure) return failure.origin
  switch (failure.kind) {
    case 'auth':
    case 'other-organisation':
    case 'not-found':
    case 'conflict':
    case 'list-refused':
    case 'list-endless':
    case 'listed-session-denied':
    case 'search-failed':
    case 'session-mismatch':
    case 'session-reopened':
    case 'unreadable-answer':
    case 'parts-impossible':
    case 'checksum-mismatch':
      return 'control'
    case 'url-expired':
    case 'part-corrupt':
    case 'etag-missing':
      return 'storage'
    case 'file-changed':
    case 'file-vanished':
    case 'drive-away':
    case 'file-busy':
    case 'file-unreadable':
    case 'placeholder-unfilled':
    case 'file-empty':
    case 'file-unfinished':
    case 'file-too-large':
    case 'marker-outdated':
    case 'marker-missing':
    case 'take-deviates':
      return 'file'
    case 'journal-full':
    case 'journal-damaged':
      return 'journal'
    case 'cancelled':
      return 'none'
  }
}

/** Whether the network, a proxy, the upload host or the remote side had trouble. A refusal is no trouble. */
export const isTrouble = (failure: Failure): boolean =>
  failure.kind === 'network' ||
  failure.kind === 'timeout' ||
  failure.kind === 'service' ||
  failure.kind === 'foreign-answer' ||
  failure.kind === 'host-refused' ||
  failure.kind === 'certificate' ||
  failure.kind === 'proxy-sign-in'

/**
 * Whether the service answered that the session does not exist for this key. A lagging replica may answer `not-found`,
 * but never `other-organisation`.
 */
export const isDenial = ({ kind }: Failure): boolean => kind === 'not-found' || kind === 'other-organisation'

/** The technical detail of a failure, to show to users: usually the message of the service or of the system. */
export const wordsOf = (failure: Failure): string | undefined => {
  switch (failure.kind) {
    case 'service':
      return failure.message === ''
        ? `status ${failure.status}`
        : `${failure.message}, status ${failure.status}`
    case 'rejected': {
      const words = failure.message || failure.code || `status ${failure.status}`
      return failure.param === null ? words : `${failure.param}: ${words}`
    }
    case 'part-corrupt':
      return 'the storage computed a different checksum'
    case 'etag-missing':
      return 'the storage answered without an ETag'
    default: {
      const words = 'message' in failure ? failure.message : 'detail' in failure ? failure.detail : ''
      return words === '' ? undefined : words
    }
  }
}

export const paramOf = (failure: Failure): string | null =>
  failure.kind === 'rejected' ? failure.param : failure.kind === 'placeholder-unfilled' ? failure.field : null

/** The fields that the service may refuse (§4.1), with the problem to show for each. */
export const refusedParams = {
  site: 'site-refused',
  device: 'device-refused',
  notes: 'notes-refused',
  filename: 'name-refused',
  part_size: 'part-size-refused',
  bytes: 'size-refused',
  sha256: 'checksum-refused',
} as const satisfies Readonly<Record<string, ProblemCode>>
