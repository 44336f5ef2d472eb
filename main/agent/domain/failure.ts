/**
 * Everything that is expected to go wrong, as one union. Code that can fail this way returns an Outcome; a
 * throw means a bug. What to do about a failure is decided in retry-policy.ts and nowhere else.
 */
export type Failure =
  /** No answer: refused, reset, no route, name not found, closed half-way. */
  | { readonly kind: 'network'; readonly detail: string }
  /** Nothing moved for the idle limit. */
  | { readonly kind: 'timeout'; readonly detail: string }
  | { readonly kind: 'certificate'; readonly detail: string }
  | { readonly kind: 'proxy-sign-in' }
  /** §5.4 (401) and §5.5 (403): the whole station's business, never one recording's. */
  | { readonly kind: 'auth'; readonly reason: 'refused' | 'not-permitted'; readonly requestId: string | null }
  /** §7: 429, on the control API or (503 SlowDown) at the storage. */
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number | null; readonly requestId: string | null }
  /** §7: 5xx; safe to repeat with the same idempotency key. */
  | {
      readonly kind: 'service'
      readonly status: number
      readonly retryAfterMs: number | null
      readonly requestId: string | null
    }
  /** The session exists, but the key is of another organisation (§5.5). */
  | { readonly kind: 'other-organisation'; readonly requestId: string | null }
  | { readonly kind: 'not-found'; readonly requestId: string | null }
  | {
      readonly kind: 'conflict'
      readonly code: string
      readonly message: string
      readonly requestId: string | null
    }
  /** Any other 4xx: the same request will be refused again. */
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly code: string
      readonly message: string
      readonly param: string | null
      readonly requestId: string | null
    }
  /** HTML, truncated JSON, a shape the contract does not have. */
  | { readonly kind: 'unreadable-answer'; readonly detail: string; readonly requestId: string | null }
  /** The storage refused the signature's time; a fresh URL mends it. */
  | { readonly kind: 'url-expired' }
  /** The storage computed another checksum than ours (§4.2). */
  | { readonly kind: 'part-corrupt' }
  /** 2xx without an ETag: the part was not stored. */
  | { readonly kind: 'etag-missing' }
  | { readonly kind: 'file-changed'; readonly detail: string }
  | { readonly kind: 'file-vanished' }
  | { readonly kind: 'file-unreadable'; readonly detail: string }
  /** We stopped it ourselves: pause, shutdown, settings. */
  | { readonly kind: 'cancelled' }

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure }

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value })
export const failed = (failure: Failure): Outcome<never> => ({ ok: false, failure })

export const requestIdOf = (failure: Failure): string | null =>
  'requestId' in failure ? failure.requestId : null
