import type { ConditionName } from '../../../shared/status/conditions.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import { type Failure, isDenial, type Remote, refusedParams } from './failure.ts'
import {
  ATTEMPTS_IN_AN_HOUR,
  BELIEVE_DENIAL_AFTER_MS,
  CHECKSUM_MISMATCH_RETRIES,
  DENIALS_TO_BELIEVE,
  FIRST_MISMATCH_RETRY_DELAY_MS,
  FIRST_RETRY_DELAY_MS,
  FREQUENT_FILE_RETRIES,
  FREQUENT_MARKER_CHECKS,
  FREQUENT_REFUSAL_RETRIES,
  LONGEST_FILE_RETRY_DELAY_MS,
  LONGEST_HIDDEN_WAIT_MS,
  LONGEST_PROBE_DELAY_MS,
  LONGEST_RETRY_AFTER_MS,
  LONGEST_RETRY_DELAY_MS,
  PRECAUTION_RETRIES,
  REFUSED_RETRY_DELAY_MS,
  SHOWN_FROM_ATTEMPT,
  STATION_FAILURE_STREAK,
} from './retry-limits.ts'

/**
 * The reaction to a failure. `decide` chooses it, with the limits in `retry-limits.ts`. `stage/apply-decision.ts`
 * applies most decisions. The stages themselves handle `refresh-urls` and some cases of `session-lost`.
 * `stage/error-reporter.ts` applies the decisions about errors of the journal.
 */
export type Decision =
  /** Only this recording waits. `quiet`: it is too early to show the problem. */
  | {
      readonly kind: 'wait'
      readonly afterMs: number
      readonly code: ProblemCode
      readonly endsBy: EndsBy
      readonly quiet: boolean
    }
  /** The next recording would fail too. So the station raises a condition, and one probe retries for all recordings. */
  | {
      readonly kind: 'condition'
      readonly condition: ConditionName
      readonly code: ProblemCode
      /** The delay that the service or the storage requested. Null: the condition uses its own backoff. */
      readonly afterMs: number | null
      /**
       * The extra wait of this recording after the condition, because the failure may concern it alone. 0: no extra
       * wait.
       */
      readonly waitMs: number
    }
  | { readonly kind: 'refresh-urls' }
  | { readonly kind: 'session-lost' }
  | { readonly kind: 'file-changed' }
  | { readonly kind: 'file-vanished' }
  /** The recording waits for the drive of its folder. This does not count as an attempt. */
  | { readonly kind: 'drive-away' }
  | { readonly kind: 'end-process' }
  /** Sluice stopped the work itself, so the failure does not count. */
  | { readonly kind: 'ignore' }

export type Attempts = {
  /** Failures of this recording in a row, from 1. */
  readonly attempt: number
  /** Failures in a row at the control API or the storage, counted over all recordings. */
  readonly streak: number
  /** Whether Sluice believes that the session is lost: the result of `isLost`. */
  readonly isSessionLost: boolean
}

/** Answers in a row (404 or 403) that deny the session. */
export type Denials = {
  readonly count: number
  readonly durationMs: number
  readonly stage: keyof typeof BELIEVE_DENIAL_AFTER_MS
}

/** Exponential, with jitter: a hundred stations must not retry at the same moment. `attempt` counts from 1. */
export const backOffMs = (
  attempt: number,
  random: () => number,
  longestMs = LONGEST_RETRY_DELAY_MS,
): number => {
  const ceiling = Math.min(longestMs, FIRST_RETRY_DELAY_MS * 2 ** Math.min(attempt - 1, 20))
  return Math.round(ceiling / 2 + (ceiling / 2) * random())
}

/** The delay before a new session if the checksum did not match. `mismatches`: the number of earlier mismatches. */
export const mismatchDelayMs = (mismatches: number): number =>
  FIRST_MISMATCH_RETRY_DELAY_MS * 4 ** Math.min(mismatches, CHECKSUM_MISMATCH_RETRIES)

/**
 * Whether Sluice believes that the session is lost. A lagging replica answers "not found" for a while, so Sluice
 * believes this answer only after a delay. A replica never answers "of a different organisation", so this answer needs
 * no delay.
 */
export const isLost = (failure: Failure, { count, durationMs, stage }: Denials): boolean =>
  isDenial(failure) &&
  count >= DENIALS_TO_BELIEVE &&
  (failure.kind === 'other-organisation' || durationMs >= BELIEVE_DENIAL_AFTER_MS[stage])

/**
 * Whether Sluice believes that a complete session was reopened. A lagging replica shows the session as `uploading` for
 * a while, so Sluice believes this only after a delay.
 */
export const isReopeningTrusted = (count: number, durationMs: number): boolean =>
  count >= DENIALS_TO_BELIEVE && durationMs >= BELIEVE_DENIAL_AFTER_MS.completing

/**
 * Whether Sluice gives up a failed search for a session and uploads the recording in a new session. Call this only if
 * the recording probably has no session. `attempts`: the recording's earlier failures in a row.
 */
export const endsPrecaution = (failure: Failure, attempts: number): boolean => {
  switch (failure.kind) {
    // The key may not list sessions, and no retry changes that.
    case 'list-refused':
      return true
    case 'search-failed':
      return attempts >= PRECAUTION_RETRIES
    default:
      return false
  }
}

/** The problem codes of failures that both the control API and the storage can cause. */
const remoteCodes = {
  control: {
    unreachable: 'service-unreachable',
    error: 'service-error',
    foreign: 'service-answer-unreadable',
    busy: 'rate-limited',
  },
  storage: {
    unreachable: 'storage-unreachable',
    error: 'storage-error',
    foreign: 'storage-answer-unreadable',
    busy: 'storage-busy',
  },
} as const satisfies Record<
  'control' | 'storage',
  Record<'unreachable' | 'error' | 'foreign' | 'busy', ProblemCode>
>

const limitRetryAfterMs = (requestedMs: number, random: () => number): number =>
  Math.min(Math.max(requestedMs, 0), LONGEST_RETRY_AFTER_MS) + Math.round(250 * random())

export const decide = (
  failure: Failure,
  { attempt, streak, isSessionLost }: Attempts,
  random: () => number,
): Decision => {
  const waitFor = (code: ProblemCode, afterMs: number, endsBy: EndsBy = 'time'): Decision => ({
    kind: 'wait',
    afterMs,
    code,
    endsBy,
    quiet: attempt < SHOWN_FROM_ATTEMPT,
  })
  const waitAsRequested = (code: ProblemCode, afterMs: number): Decision => ({
    kind: 'wait',
    afterMs,
    code,
    endsBy: 'time',
    quiet: attempt < SHOWN_FROM_ATTEMPT && afterMs <= LONGEST_HIDDEN_WAIT_MS,
  })
  const backOff = (
    code: ProblemCode,
    longestMs = LONGEST_RETRY_DELAY_MS,
    endsByIfItLasts: EndsBy = 'answer',
  ): Decision =>
    waitFor(
      code,
      backOffMs(attempt, random, longestMs),
      attempt < ATTEMPTS_IN_AN_HOUR * (LONGEST_RETRY_DELAY_MS / longestMs) ? 'time' : endsByIfItLasts,
    )
  const retryHourly = (code: ProblemCode, endsBy: EndsBy): Decision => ({
    kind: 'wait',
    afterMs: REFUSED_RETRY_DELAY_MS,
    code,
    endsBy,
    quiet: false,
  })
  const backOffThenHourly = (code: ProblemCode): Decision =>
    attempt < FREQUENT_REFUSAL_RETRIES ? backOff(code) : retryHourly(code, 'answer')
  const raiseCondition = (
    condition: ConditionName,
    code: ProblemCode,
    { afterMs = null, waitMs = 0 }: { afterMs?: number | null; waitMs?: number } = {},
  ): Decision => ({ kind: 'condition', condition, code, afterMs, waitMs })
  const backOffOrRaiseCondition = (origin: Remote, code: ProblemCode): Decision =>
    streak < STATION_FAILURE_STREAK
      ? backOff(code, LONGEST_PROBE_DELAY_MS)
      : raiseCondition(origin, code, { waitMs: backOffMs(attempt, random, LONGEST_PROBE_DELAY_MS) })

  switch (failure.kind) {
    case 'network':
    case 'timeout': {
      if (failure.kind === 'network' && failure.isOffline === true)
        return raiseCondition(failure.origin, 'network-missing')
      const code = remoteCodes[failure.origin].unreachable
      return failure.connected
        ? backOffOrRaiseCondition(failure.origin, code)
        : raiseCondition(failure.origin, code)
    }
    case 'certificate':
      return raiseCondition(failure.origin, 'certificate-refused')
    case 'proxy-sign-in':
      return raiseCondition(failure.origin, 'proxy-sign-in')
    case 'foreign-answer':
      return raiseCondition(failure.origin, remoteCodes[failure.origin].foreign, {
        waitMs: backOffMs(attempt, random, LONGEST_PROBE_DELAY_MS),
      })
    case 'host-refused':
      return raiseCondition('storage', 'upload-host-refused', {
        waitMs: backOffMs(attempt, random, LONGEST_PROBE_DELAY_MS),
      })
    case 'auth':
      return failure.reason === 'refused'
        ? raiseCondition('key', 'key-refused')
        : // The refusal may concern this recording alone, so this recording waits longer than the others.
          raiseCondition('key', 'key-read-only', { waitMs: backOffMs(attempt, random) })
    // §8: the control API limits each key, so its 429 concerns every request.
    case 'rate-limited': {
      const requestedMs =
        failure.retryAfterMs === null ? null : limitRetryAfterMs(failure.retryAfterMs, random)
      const code = remoteCodes[failure.origin].busy
      // Perhaps fewer parts at a time are enough. If the storage still refuses, Sluice starts no part for a while.
      return failure.origin === 'control' || streak >= 2 * STATION_FAILURE_STREAK
        ? raiseCondition(failure.origin, code, { afterMs: requestedMs })
        : waitAsRequested(code, requestedMs ?? backOffMs(attempt, random))
    }
    case 'service': {
      const code = remoteCodes[failure.origin].error
      if (failure.retryAfterMs === null) return backOffOrRaiseCondition(failure.origin, code)
      const afterMs = limitRetryAfterMs(failure.retryAfterMs, random)
      return streak < STATION_FAILURE_STREAK
        ? waitAsRequested(code, afterMs)
        : raiseCondition(failure.origin, code, { afterMs })
    }
    // The prober has already confirmed the organisation of the key, so these two failures concern only this session.
    // One answer is not enough to give up the session: see `isLost`.
    case 'other-organisation':
      return isSessionLost ? { kind: 'session-lost' } : backOff('session-elsewhere')
    case 'not-found':
      return isSessionLost ? { kind: 'session-lost' } : backOff('session-deleted')
    // §8: an earlier request with the same idempotency key is still running. A retry gets the answer of that request.
    case 'conflict':
      return backOff('completion-pending')
    case 'rejected': {
      if (failure.origin === 'storage') return backOffThenHourly('upload-refused')
      switch (failure.param) {
        case 'site':
        case 'device':
        case 'notes':
        case 'part_size':
          return retryHourly(refusedParams[failure.param], 'settings')
        case 'filename':
        case 'bytes':
          return retryHourly(refusedParams[failure.param], 'file')
        case 'sha256':
          return retryHourly(refusedParams[failure.param], 'answer')
        default:
          return retryHourly('upload-refused', 'answer')
      }
    }
    // Without the list, Sluice might create a second session for the same content, so the recording waits. But a
    // recording that probably has no session may be uploaded anyway: see `endsPrecaution`.
    case 'list-refused':
      return waitFor('look-up-failed', backOffMs(attempt, random), 'key')
    case 'list-endless':
      return backOffThenHourly('look-up-failed')
    case 'listed-session-denied':
      return backOff('look-up-failed')
    case 'search-failed':
      return backOff('look-up-failed', LONGEST_PROBE_DELAY_MS)
    case 'unreadable-answer':
      return backOffThenHourly('service-answer-unreadable')
    case 'session-mismatch':
      return backOffThenHourly('session-mismatch')
    case 'session-reopened':
      return retryHourly('session-reopened', 'answer')
    case 'parts-impossible':
      return retryHourly('parts-impossible', 'answer')
    case 'checksum-mismatch':
      return retryHourly('checksum-mismatch', 'answer')
    case 'url-expired':
      return { kind: 'refresh-urls' }
    case 'part-corrupt':
    case 'etag-missing':
      return backOffThenHourly('upload-refused')
    case 'file-changed':
      return { kind: 'file-changed' }
    case 'file-vanished':
      return { kind: 'file-vanished' }
    case 'drive-away':
      return { kind: 'drive-away' }
    case 'file-busy':
      return backOff(
        'file-busy',
        attempt < FREQUENT_FILE_RETRIES ? LONGEST_FILE_RETRY_DELAY_MS : LONGEST_RETRY_DELAY_MS,
        'file',
      )
    case 'file-unreadable':
      return waitFor('file-unreadable', backOffMs(attempt, random), 'file')
    case 'placeholder-unfilled':
      return retryHourly('placeholder-unfilled', 'settings')
    case 'file-empty':
      return retryHourly('empty-file', 'file')
    case 'file-unfinished':
      return { kind: 'wait', afterMs: 0, code: 'file-damaged', endsBy: 'time', quiet: false }
    case 'file-too-large':
      return retryHourly('file-too-large', 'file')
    // Perhaps the recorder has just paused, so the problem needs attention only if it lasts. A new marker does not
    // change the file, so Sluice must check for the marker. It checks often at first.
    case 'marker-outdated':
    case 'marker-missing':
      return backOff(
        failure.kind,
        attempt < FREQUENT_MARKER_CHECKS ? LONGEST_FILE_RETRY_DELAY_MS : LONGEST_RETRY_DELAY_MS,
        'file',
      )
    // The recording waits until a user releases it. The hourly check also releases it if `on_deviation` is no longer
    // `hold`.
    case 'take-deviates':
      return retryHourly('take-held', 'person')
    case 'journal-full':
      return raiseCondition('disk', 'disk-full')
    case 'journal-damaged':
      return { kind: 'end-process' }
    case 'cancelled':
      return { kind: 'ignore' }
  }
}
