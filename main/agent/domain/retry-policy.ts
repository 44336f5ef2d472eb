import type { ProblemCode } from '../../../shared/status.ts'
import type { Failure } from './failure.ts'

/**
 * What to do about a failure, as data. This is the one place that knows: stages carry it out.
 *
 * - `station`: everything waits and one probe tries, because the next recording would fail the same way.
 * - `recording`: only this one waits; the others go on.
 */
export type Decision =
  | { readonly kind: 'retry'; readonly scope: 'recording' | 'station'; readonly afterMs: number }
  | { readonly kind: 'stop-station'; readonly code: ProblemCode }
  | { readonly kind: 'refresh-urls' }
  | { readonly kind: 'session-lost' }
  | { readonly kind: 'file-changed' }
  | { readonly kind: 'file-vanished' }
  | { readonly kind: 'block'; readonly code: ProblemCode }
  | { readonly kind: 'drop' }

/** §8 keeps idempotency keys for 24 hours; the last half hour is left for slow answers. */
export const KEY_LIFETIME_MS = 23.5 * 3_600_000

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 5 * 60_000
const LONGEST_RETRY_AFTER_MS = 60 * 60_000
/** The same refusal this often in a row is not going to mend itself. */
const MOST_REFUSALS = 5

/** Full jitter on an exponential: a hundred stations must not come back in step. `attempt` counts from 1. */
export const backOffMs = (attempt: number, random: () => number): number => {
  const ceiling = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 20))
  return Math.round(ceiling / 2 + (ceiling / 2) * random())
}

const retryAfter = (wanted: number | null, attempt: number, random: () => number): number =>
  wanted === null
    ? backOffMs(attempt, random)
    : Math.min(Math.max(wanted, 0), LONGEST_RETRY_AFTER_MS) + Math.round(250 * random())

export const decide = (failure: Failure, attempt: number, random: () => number): Decision => {
  switch (failure.kind) {
    case 'network':
    case 'timeout':
      return { kind: 'retry', scope: 'station', afterMs: backOffMs(attempt, random) }
    case 'rate-limited':
      return { kind: 'retry', scope: 'recording', afterMs: retryAfter(failure.retryAfterMs, attempt, random) }
    case 'service':
      return { kind: 'retry', scope: 'recording', afterMs: retryAfter(failure.retryAfterMs, attempt, random) }
    case 'certificate':
      return { kind: 'stop-station', code: 'certificate-refused' }
    case 'proxy-sign-in':
      return { kind: 'stop-station', code: 'proxy-sign-in' }
    case 'auth':
      return { kind: 'stop-station', code: failure.reason === 'refused' ? 'key-refused' : 'key-read-only' }
    // No request is made with a key that is not known to be the station's own: both mean this one session.
    case 'other-organisation':
    case 'not-found':
      return { kind: 'session-lost' }
    // A passing proxy page or a half answer looks the same as a real incompatibility: try some more, then tell.
    case 'unreadable-answer':
      return attempt < MOST_REFUSALS
        ? { kind: 'retry', scope: 'recording', afterMs: backOffMs(attempt, random) }
        : { kind: 'block', code: 'service-answer-unreadable' }
    case 'conflict':
      return attempt < MOST_REFUSALS
        ? { kind: 'retry', scope: 'recording', afterMs: backOffMs(attempt, random) }
        : { kind: 'block', code: 'upload-refused' }
    case 'rejected':
      return { kind: 'block', code: failure.param === 'filename' ? 'name-refused' : 'upload-refused' }
    case 'url-expired':
      return { kind: 'refresh-urls' }
    case 'part-corrupt':
    case 'etag-missing':
      return attempt < MOST_REFUSALS
        ? { kind: 'retry', scope: 'recording', afterMs: backOffMs(attempt, random) }
        : { kind: 'block', code: 'upload-refused' }
    case 'file-changed':
      return { kind: 'file-changed' }
    case 'file-vanished':
      return { kind: 'file-vanished' }
    // A virus scanner or a backup may hold it for a while; the others do not wait for it.
    case 'file-unreadable':
      return attempt < MOST_REFUSALS
        ? { kind: 'retry', scope: 'recording', afterMs: backOffMs(attempt, random) }
        : { kind: 'block', code: 'file-unreadable' }
    case 'cancelled':
      return { kind: 'drop' }
  }
}
