import type { ConditionName } from '../../../shared/status/conditions.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import { type Failure, isDenial, type Remote, refusedParams } from './failure.ts'

/**
 * The reaction to a failure. Only `decide` chooses it, and only stage/apply-decision.ts applies it. Every retry limit
 * and retry delay of the agent is a constant of this file. After every wait, Sluice tries again. A user can only make
 * that attempt sooner.
 */
export type Decision =
  /** Only this recording waits. `quiet`: too early to show the problem. */
  | {
      readonly kind: 'wait'
      readonly afterMs: number
      readonly code: ProblemCode
      readonly endsBy: EndsBy
      readonly quiet: boolean
    }
  /** The next recording would fail in the same way, so the station raises a condition and one probe retries. */
  | {
      readonly kind: 'condition'
      readonly condition: ConditionName
      readonly code: ProblemCode
      /** The delay that the service or the storage requested. Null: the condition has its own backoff. */
      readonly afterMs: number | null
      /** How long the recording waits too, because the failure may concern it alone. */
      readonly waitMs: number
    }
  | { readonly kind: 'refresh-urls' }
  | { readonly kind: 'session-lost' }
  | { readonly kind: 'file-changed' }
  | { readonly kind: 'file-vanished' }
  | { readonly kind: 'end-process' }
  | { readonly kind: 'drop' }

export type Attempts = {
  /** Failures of this recording in a row, from 1. */
  readonly attempt: number
  /** Failures in a row at the control API or the storage, over all recordings. */
  readonly streak: number
  /** Whether the service denied the session so often and for so long that Sluice believes the denials. */
  readonly isSessionLost: boolean
}

/** A series of answers (404 or 403) in which the service denies that it has the session. */
export type Denials = {
  readonly times: number
  readonly forMs: number
  readonly stage: keyof typeof BELIEVE_DENIAL_AFTER_MS
}

/* ---- backoff ---- */

const FIRST_RETRY_DELAY_MS = 1_000
const LONGEST_RETRY_DELAY_MS = 5 * 60_000
/** For a file that another program locks: a virus scanner or a backup soon releases it. */
const LONGEST_FILE_RETRY_DELAY_MS = 30_000
/**
 * These retries take about a quarter of an hour. After that, no virus scanner holds the file, and each retry may read
 * gigabytes.
 */
const FREQUENT_FILE_RETRIES = 30
/** The longest delay between two probes of a condition. */
export const LONGEST_PROBE_DELAY_MS = 60_000
/** A longer Retry-After (§7) is a mistake of the service, so Sluice waits only this long. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000
/** The delay after a refusal. Sluice cannot notice when the service fixes the cause. */
const REFUSED_RETRY_DELAY_MS = 3_600_000
/** After this many refusals, waiting does not help: Sluice retries once an hour. */
const FREQUENT_REFUSAL_RETRIES = 6

/* ---- when a failure is shown, and when it concerns the whole station ---- */

/**
 * One lost connection concerns one part. This many lost connections in a row, over all recordings, concern the
 * service or the storage.
 */
const STATION_FAILURE_STREAK = 3
const SHOWN_FROM_ATTEMPT = 3
/** Without any answer for this long, the service counts as unreachable. The requests still wait for their answers. */
export const UNANSWERED_IS_UNREACHABLE_AFTER_MS = 10_000
/** More than an hour of the longest delays: this needs attention, although Sluice keeps retrying. */
const ATTEMPTS_IN_AN_HOUR = 20

/* ---- sessions ---- */

/** §8 keeps idempotency keys for 24 hours. The last half hour is a margin for slow answers. */
export const KEY_LIFETIME_MS = 23.5 * 3_600_000
/** The lifetime of a key whose age Sluice knows only by this PC's clock, which a user may have set since. */
const UNCONFIRMED_KEY_LIFETIME_MS = 12 * 3_600_000

/** A time by this PC's clock and by the service's clock. Null if the service's time was unknown then. */
export type TimeOnBothClocks = { readonly wallMs: number; readonly serviceMs: number | null }

/**
 * Whether the service still links the key to its first answer. Both clocks must agree: a correction of this PC's clock
 * makes a key look younger than it is.
 */
export const isKeyLive = (sent: TimeOnBothClocks, now: TimeOnBothClocks): boolean => {
  const ageMs = now.wallMs - sent.wallMs
  const serviceAgeMs =
    sent.serviceMs === null || now.serviceMs === null ? null : now.serviceMs - sent.serviceMs
  const lifetimeMs = serviceAgeMs === null ? UNCONFIRMED_KEY_LIFETIME_MS : KEY_LIFETIME_MS
  return ageMs >= 0 && Math.max(ageMs, serviceAgeMs ?? 0) < lifetimeMs
}
/** These retries take about an hour. Then the opener gives up a key that the service reports as in use. */
export const KEY_CONFLICT_RETRIES = 20
/**
 * These retries take a few seconds. They help if the connection garbled the answer: the same key returns the same
 * answer (§8).
 */
export const UNREADABLE_CREATION_RETRIES = 3
/** These retries take about an hour. Then the completer starts a new session, because the guessed ETag may be wrong. */
export const GUESSED_ETAG_RETRIES = 20
const DENIALS_TO_BELIEVE = 3
/**
 * A lagging replica denies a session until it catches up. If Sluice believes the replica too early, it sends bytes
 * twice or, after the last part, creates a second session. For a complete session, there is no hurry.
 */
const BELIEVE_DENIAL_AFTER_MS = { uploading: 5_000, completing: 20_000, complete: 5 * 60_000 } as const
/** The interval in which the follower polls a complete session that reads `uploading` again. */
export const REOPENED_RETRY_DELAY_MS = 10_000
/** The interval between checks of a deletion without an answer. */
export const DELETION_CHECK_DELAY_MS = 10_000
/** A session that still exists after this time was not deleted. */
export const DELETION_UNDONE_AFTER_MS = 10 * 60_000
/** After this many reopenings, Sluice shows a problem and retries once an hour. */
export const REOPENED_SESSION_RETRIES = 3
/** After this many checksum mismatches, Sluice shows a problem. */
export const CHECKSUM_MISMATCH_RETRIES = 3
const FIRST_MISMATCH_RETRY_DELAY_MS = 5_000
/** The delay while another recording with the same content is being uploaded: this recording waits for its session. */
export const SAME_CONTENT_RETRY_DELAY_MS = 2_000
/**
 * These retries take about a minute. If the session with the same content still seems unfinished then, Sluice uploads
 * this recording.
 */
export const SAME_CONTENT_RETRIES = 6
/** After this many failures in a row, perhaps only the list is broken. The follower then polls each session. */
export const LIST_RETRIES = 3
export const LONGEST_LIST_RETRY_DELAY_MS = 15_000
/** The delay for a list that lags behind its sessions, or that the key may not read. */
export const STALE_LIST_RETRY_DELAY_MS = 10 * 60_000

/* ---- parts and files ---- */

/** A rename may find its target name taken, and the check after it may find the name free. Sluice then tries again. */
export const RENAME_ATTEMPTS = 3

/** How often in a row an upload fetches new URLs before it gives up. */
export const URL_REFRESH_RETRIES = 5
/** For a longer delay, the upload closes the file, and the recording waits in the journal. */
export const MAX_RETRY_DELAY_WITH_OPEN_FILE_MS = 20_000
/** Within this time, the watcher finds out whether the file is gone or its folder is offline. */
export const VANISHED_FILE_RETRY_DELAY_MS = 10_000
/**
 * Each attempt changes the folder, each change starts a scan, and each scan starts an attempt. The delay breaks this
 * loop.
 */
export const ORIGINAL_NAME_RETRY_DELAY_MS = 3_600_000
/** The list of programs that use a file may grow between two calls of the Windows API. */
export const FILE_USERS_RETRIES = 5

/* ---- the agent itself ---- */

/**
 * The retries take two minutes in all. Another program may lock the journal for a minute. Without retries, Sluice
 * would lose the service's answers of that minute and repeat the requests.
 */
export const COMMIT_RETRY_DELAY_MS = 250
export const COMMIT_RETRIES = 480
/** These retries take two seconds in all. */
export const COMMIT_RETRIES_AT_EXIT = 8
/** The delay after a bug in a step of a stage. */
export const FAILED_STEP_RETRY_DELAY_MS = 5_000
/** The delay after folder events failed. Meanwhile, a user may raise the system's limit for watched folders. */
export const FOLDER_EVENTS_RETRY_DELAY_MS = 60_000
/** The delay after a bug in the work on one recording. */
export const FAILED_JOB_RETRY_DELAY_MS = 10_000
export const FULL_DISK_RETRY_DELAY_MS = 2_000
/**
 * A recording of a folder that holds deviating recordings waits for its inspection. The inspector ends this wait. A short
 * delay would let many such recordings keep the others from being hashed.
 */
export const UNINSPECTED_RETRY_DELAY_MS = 60_000
/** A locked file is rarely free again within seconds. */
export const INSPECTION_RETRY_DELAY_MS = 60_000

/* ---- alerts ---- */

export const LONGEST_ALERT_RETRY_DELAY_MS = 15 * 60_000
export const LONGEST_ALERT_RETRY_AFTER_MS = 3_600_000
/** An older alert no longer describes the station. */
export const ALERT_RETRIES_END_AFTER_MS = 24 * 3_600_000

/** Exponential, with jitter: a hundred stations must not retry at the same moment. `attempt` counts from 1. */
export const backOffMs = (
  attempt: number,
  random: () => number,
  longestMs = LONGEST_RETRY_DELAY_MS,
): number => {
  const ceiling = Math.min(longestMs, FIRST_RETRY_DELAY_MS * 2 ** Math.min(attempt - 1, 20))
  return Math.round(ceiling / 2 + (ceiling / 2) * random())
}

/**
 * The delay before a new session, after the service computed a different checksum. `mismatches` counts the earlier
 * mismatches.
 */
export const mismatchDelayMs = (mismatches: number): number =>
  FIRST_MISMATCH_RETRY_DELAY_MS * 4 ** Math.min(mismatches, CHECKSUM_MISMATCH_RETRIES)

/**
 * Whether Sluice believes that the session is lost. A lagging replica answers "not found" until it catches up, so
 * these answers must also last for a while. A replica never answers "of a different organisation" by mistake, so a
 * few such answers are enough.
 */
export const isLost = (failure: Failure, { times, forMs, stage }: Denials): boolean =>
  isDenial(failure) &&
  times >= DENIALS_TO_BELIEVE &&
  (failure.kind === 'other-organisation' || forMs >= BELIEVE_DENIAL_AFTER_MS[stage])

/**
 * Whether a complete session was reopened: it reads `uploading` again. A lagging replica shows the same until it
 * catches up.
 */
export const isReopened = (times: number, forMs: number): boolean =>
  times >= DENIALS_TO_BELIEVE && forMs >= BELIEVE_DENIAL_AFTER_MS.completing

/** The code for the same failure at the control API and at the storage. */
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

const retryAfter = (requestedMs: number, random: () => number): number =>
  Math.min(Math.max(requestedMs, 0), LONGEST_RETRY_AFTER_MS) + Math.round(250 * random())

export const decide = (
  failure: Failure,
  { attempt, streak, isSessionLost }: Attempts,
  random: () => number,
): Decision => {
  const backOff = (
    code: ProblemCode,
    longestMs = LONGEST_RETRY_DELAY_MS,
    endsByAfterAnHour: EndsBy = 'answer',
  ): Decision => ({
    kind: 'wait',
    afterMs: backOffMs(attempt, random, longestMs),
    code,
    endsBy: attempt < ATTEMPTS_IN_AN_HOUR * (LONGEST_RETRY_DELAY_MS / longestMs) ? 'time' : endsByAfterAnHour,
    quiet: attempt < SHOWN_FROM_ATTEMPT,
  })
  const waitFor = (code: ProblemCode, afterMs: number): Decision => ({
    kind: 'wait',
    afterMs,
    code,
    endsBy: 'time',
    quiet: attempt < SHOWN_FROM_ATTEMPT,
  })
  const retryHourly = (code: ProblemCode, endsBy: EndsBy): Decision => ({
    kind: 'wait',
    afterMs: REFUSED_RETRY_DELAY_MS,
    code,
    endsBy,
    quiet: false,
  })
  const waitForKey = {
    kind: 'wait',
    afterMs: backOffMs(attempt, random),
    endsBy: 'key',
    quiet: attempt < SHOWN_FROM_ATTEMPT,
  } as const
  const backOffThenHourly = (code: ProblemCode): Decision =>
    attempt < FREQUENT_REFUSAL_RETRIES ? backOff(code) : retryHourly(code, 'answer')
  const raiseCondition = (
    condition: ConditionName,
    code: ProblemCode,
    { afterMs = null, waitMs = 0 }: { afterMs?: number | null; waitMs?: number } = {},
  ): Decision => ({ kind: 'condition', condition, code, afterMs, waitMs })
  const recordingOrStation = (origin: Remote, code: ProblemCode): Decision =>
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
        ? recordingOrStation(failure.origin, code)
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
        : // The refusal may concern this recording alone. It waits, so that Sluice tries the other recordings.
          raiseCondition('key', 'key-read-only', { waitMs: backOffMs(attempt, random) })
    // §8: limits count per key, so this concerns every request.
    case 'rate-limited': {
      const requestedMs = failure.retryAfterMs === null ? null : retryAfter(failure.retryAfterMs, random)
      const code = remoteCodes[failure.origin].busy
      // Sending fewer parts at once may be enough for the storage. If the storage still refuses, Sluice starts no
      // part for a while.
      return failure.origin === 'control' || streak >= 2 * STATION_FAILURE_STREAK
        ? raiseCondition(failure.origin, code, { afterMs: requestedMs })
        : waitFor(code, requestedMs ?? backOffMs(attempt, random))
    }
    case 'service': {
      const code = remoteCodes[failure.origin].error
      if (failure.retryAfterMs === null) return recordingOrStation(failure.origin, code)
      const afterMs = retryAfter(failure.retryAfterMs, random)
      return streak < STATION_FAILURE_STREAK
        ? waitFor(code, afterMs)
        : raiseCondition(failure.origin, code, { afterMs })
    }
    // Sluice sends no request with an untrusted key, so the next two failures concern this one session. Giving up a
    // session cannot be undone, so one answer is not enough: see `isLost`.
    case 'other-organisation':
      return isSessionLost ? { kind: 'session-lost' } : backOff('session-elsewhere')
    case 'not-found':
      return isSessionLost ? { kind: 'session-lost' } : backOff('session-deleted')
    // §8: an earlier request with the same key is still running. While the key is valid, a retry with the same key
    // gets the answer of that request.
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
    // Only the search for an existing session needs the list. Without the list, Sluice might create a second session
    // for the same content.
    case 'list-refused':
      return { ...waitForKey, code: 'look-up-failed' }
    case 'list-endless':
      return backOffThenHourly('look-up-failed')
    case 'listed-denied':
      return backOff('look-up-failed')
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
    case 'file-busy':
      return attempt < FREQUENT_FILE_RETRIES
        ? backOff('file-busy', LONGEST_FILE_RETRY_DELAY_MS, 'file')
        : backOff('file-busy', LONGEST_RETRY_DELAY_MS, 'file')
    case 'file-unreadable':
      return {
        kind: 'wait',
        afterMs: backOffMs(attempt, random),
        code: 'file-unreadable',
        endsBy: 'file',
        quiet: attempt < SHOWN_FROM_ATTEMPT,
      }
    case 'placeholder-unfilled':
      return retryHourly('placeholder-unfilled', 'settings')
    case 'file-empty':
      return retryHourly('empty-file', 'file')
    case 'file-unfinished':
      return { kind: 'wait', afterMs: 0, code: 'file-damaged', endsBy: 'time', quiet: false }
    case 'file-too-large':
      return retryHourly('file-too-large', 'file')
    // Only a user releases the recording. The hourly check notices that the folder no longer holds recordings.
    case 'take-deviates':
      return retryHourly('take-held', 'person')
    case 'journal-full':
      return raiseCondition('disk', 'disk-full')
    case 'journal-damaged':
      return { kind: 'end-process' }
    case 'cancelled':
      return { kind: 'drop' }
  }
}
