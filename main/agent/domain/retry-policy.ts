import type { ConditionName } from '../../../shared/status/conditions.ts'
import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import type { ProblemCode } from '../../../shared/status/status.ts'
import { type Failure, type Remote, refusedParams } from './failure.ts'

/**
 * What to do about a failure, as data. This is the one place that knows; running/carry-out.ts is the one hand that
 * does it. Nothing waits for ever: every wait has a next look, and a person only ever makes it sooner.
 */
export type Decision =
  /** Only this one waits; the others go on. `quiet`: one hiccup is nobody's business yet. */
  | {
      readonly kind: 'wait'
      readonly afterMs: number
      readonly code: ProblemCode
      readonly endsBy: EndsBy
      readonly quiet: boolean
    }
  /** The next recording would meet the same: the station waits, and one probe asks. */
  | {
      readonly kind: 'condition'
      readonly condition: ConditionName
      readonly code: ProblemCode
      /** The other side's own wish; otherwise the condition has its own back-off. */
      readonly afterMs: number | null
      /** The one that met it also waits: it may be the only one that does. */
      readonly waitMs: number
    }
  | { readonly kind: 'refresh-urls' }
  | { readonly kind: 'session-lost' }
  | { readonly kind: 'file-changed' }
  | { readonly kind: 'file-vanished' }
  | { readonly kind: 'end-process' }
  | { readonly kind: 'drop' }

export type Tries = {
  /** Failures of this one in a row, this one included: from 1. */
  readonly attempt: number
  /** Failures in a row at the control API or the storage, over all recordings. */
  readonly streak: number
  /** The service has denied the session so often, and for so long, that it is believed. */
  readonly lost: boolean
}

/** What the service said of a session by 404 or 403, in a row. */
export type Denied = {
  readonly times: number
  readonly forMs: number
  /** How much would be lost with it. */
  readonly stage: keyof typeof DENIED_MS
}

/** §8 keeps idempotency keys for 24 hours; the last half hour is left for slow answers. */
export const KEY_LIFETIME_MS = 23.5 * 3_600_000
/** A refusal is asked again this often: somebody may have mended it where Sluice cannot see. */
const REFUSED_LOOK_MS = 3_600_000

const FIRST_DELAY_MS = 1_000
/** The longest wait between two probes of a condition. */
export const LONGEST_PROBE_DELAY_MS = 60_000
const LONGEST_DELAY_MS = 5 * 60_000
const LONGEST_FILE_DELAY_MS = 30_000
/** A quarter of an hour of such looks: this is no virus scanner, and each look may read gigabytes. */
const MANY_FILE_LOOKS = 30
/** A header beyond this is a mistake; §7's wish is otherwise honoured to the second. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000
/** One dropped connection is that part's affair; this many in a row, over all, are the other side's. */
const SEVERAL = 3
/** From this attempt on a person sees what Sluice is waiting for. */
const TELL_FROM = 3
/** The same refusal this often is not going to pass by waiting; it is still asked again. */
const MANY = 6
/**
 * A copy that lags behind denies for as long as it lags, however often it is asked. To believe it wrongly costs bytes that
 * are sent again; once all are sent, a second session; and of what is complete nothing is gained by haste.
 */
const DENIED_MS = { uploading: 5_000, completing: 20_000, complete: 5 * 60_000 } as const
/** More than an hour of the longest waits: somebody should know, though it is still tried as before. */
const AN_HOUR_OF_ATTEMPTS = 20

/** Full jitter on an exponential: a hundred stations must not come back in step. `attempt` counts from 1. */
export const backOffMs = (attempt: number, random: () => number, longestMs = LONGEST_DELAY_MS): number => {
  const ceiling = Math.min(longestMs, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 20))
  return Math.round(ceiling / 2 + (ceiling / 2) * random())
}

/** A copy that lags behind knows nothing of a session: whose it is, it says only of one that it has. */
export const isLost = (failure: Failure, { times, forMs, stage }: Denied): boolean =>
  times >= SEVERAL && (failure.kind === 'other-organisation' || forMs >= DENIED_MS[stage])

/** A complete session that reads `uploading`: a copy that lags behind says so too, for as long as it lags. */
export const isReopened = (times: number, forMs: number): boolean =>
  times >= SEVERAL && forMs >= DENIED_MS.completing

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

const retryAfter = (wanted: number, random: () => number): number =>
  Math.min(Math.max(wanted, 0), LONGEST_RETRY_AFTER_MS) + Math.round(250 * random())

export const decide = (
  failure: Failure,
  { attempt, streak, lost }: Tries,
  random: () => number,
): Decision => {
  const soon = (code: ProblemCode, after = LONGEST_DELAY_MS, mended: EndsBy = 'answer'): Decision => ({
    kind: 'wait',
    afterMs: backOffMs(attempt, random, after),
    code,
    endsBy: attempt < AN_HOUR_OF_ATTEMPTS * (LONGEST_DELAY_MS / after) ? 'time' : mended,
    quiet: attempt < TELL_FROM,
  })
  const inTime = (code: ProblemCode, afterMs: number): Decision => ({
    kind: 'wait',
    afterMs,
    code,
    endsBy: 'time',
    quiet: attempt < TELL_FROM,
  })
  const later = (code: ProblemCode, endsBy: EndsBy): Decision => ({
    kind: 'wait',
    afterMs: REFUSED_LOOK_MS,
    code,
    endsBy,
    quiet: false,
  })
  const waitForKey = {
    kind: 'wait',
    afterMs: backOffMs(attempt, random),
    endsBy: 'key',
    quiet: attempt < TELL_FROM,
  } as const
  const soonThenLater = (code: ProblemCode): Decision => (attempt < MANY ? soon(code) : later(code, 'answer'))
  const station = (
    condition: ConditionName,
    code: ProblemCode,
    { afterMs = null, waitMs = 0 }: { afterMs?: number | null; waitMs?: number } = {},
  ): Decision => ({ kind: 'condition', condition, code, afterMs, waitMs })
  const unlessSeveral = (origin: Remote, code: ProblemCode): Decision =>
    streak < SEVERAL
      ? soon(code, LONGEST_PROBE_DELAY_MS)
      : station(origin, code, { waitMs: backOffMs(attempt, random, LONGEST_PROBE_DELAY_MS) })

  switch (failure.kind) {
    case 'network':
    case 'timeout': {
      const code = remoteCodes[failure.origin].unreachable
      return failure.connected ? unlessSeveral(failure.origin, code) : station(failure.origin, code)
    }
    case 'certificate':
      return station(failure.origin, 'certificate-refused')
    case 'proxy-sign-in':
      return station(failure.origin, 'proxy-sign-in')
    case 'foreign-answer':
      return station(failure.origin, remoteCodes[failure.origin].foreign, {
        waitMs: backOffMs(attempt, random, LONGEST_PROBE_DELAY_MS),
      })
    case 'host-refused':
      return station('storage', 'upload-host-refused', {
        waitMs: backOffMs(attempt, random, LONGEST_PROBE_DELAY_MS),
      })
    case 'auth':
      return failure.reason === 'refused'
        ? station('key', 'key-refused')
        : // It may be said of this one alone: that one waits, so that the others find out.
          station('key', 'key-read-only', { waitMs: backOffMs(attempt, random) })
    // §8: limits count per key, so for every request and not only for the one that met it.
    case 'rate-limited': {
      const wish = failure.retryAfterMs === null ? null : retryAfter(failure.retryAfterMs, random)
      const code = remoteCodes[failure.origin].busy
      // At the storage fewer parts at once may be enough; where even that is refused, none is sent for a while.
      return failure.origin === 'control' || streak >= 2 * SEVERAL
        ? station(failure.origin, code, { afterMs: wish })
        : inTime(code, wish ?? backOffMs(attempt, random))
    }
    case 'service': {
      const code = remoteCodes[failure.origin].error
      if (failure.retryAfterMs === null) return unlessSeveral(failure.origin, code)
      const afterMs = retryAfter(failure.retryAfterMs, random)
      return streak < SEVERAL ? inTime(code, afterMs) : station(failure.origin, code, { afterMs })
    }
    // No request is made with a key that is not known to be the station's own: both mean this one session.
    // Said once it may be a hiccup of a copy that lags behind; what follows from it cannot be taken back.
    case 'other-organisation':
      return lost ? { kind: 'session-lost' } : soon('session-elsewhere')
    case 'not-found':
      return lost ? { kind: 'session-lost' } : soon('session-deleted')
    // §8: an earlier request with the same key is still at work. Patience in hours: its answer comes to the same key.
    case 'conflict':
      return soon('completion-pending')
    case 'rejected': {
      if (failure.origin === 'storage') return soonThenLater('upload-refused')
      switch (failure.param) {
        case 'site':
        case 'device':
        case 'notes':
        case 'part_size':
          return later(refusedParams[failure.param], 'settings')
        case 'filename':
        case 'bytes':
          return later(refusedParams[failure.param], 'file')
        case 'sha256':
          return later(refusedParams[failure.param], 'answer')
        default:
          return later('upload-refused', 'answer')
      }
    }
    // The list is a shortcut for everything but a look-up, which must not guess: without it a twin may be made.
    case 'list-refused':
      return { ...waitForKey, code: 'look-up-failed' }
    case 'list-endless':
      return soonThenLater('look-up-failed')
    case 'unreadable-answer':
      return soonThenLater('service-answer-unreadable')
    case 'session-mismatch':
      return soonThenLater('session-mismatch')
    case 'session-reopened':
      return later('session-reopened', 'answer')
    case 'parts-impossible':
      return later('parts-impossible', 'answer')
    case 'checksum-mismatch':
      return later('checksum-mismatch', 'answer')
    case 'url-expired':
      return { kind: 'refresh-urls' }
    case 'part-corrupt':
    case 'etag-missing':
      return soonThenLater('upload-refused')
    case 'file-changed':
      return { kind: 'file-changed' }
    case 'file-vanished':
      return { kind: 'file-vanished' }
    // A virus scanner or a backup may hold it for a while; the others do not wait for it.
    case 'file-busy':
      return attempt < MANY_FILE_LOOKS
        ? soon('file-busy', LONGEST_FILE_DELAY_MS, 'file')
        : soon('file-busy', LONGEST_DELAY_MS, 'file')
    case 'file-unreadable':
      return {
        kind: 'wait',
        afterMs: backOffMs(attempt, random),
        code: 'file-unreadable',
        endsBy: 'file',
        quiet: attempt < TELL_FROM,
      }
    case 'placeholder-unfilled':
      return later('placeholder-unfilled', 'settings')
    case 'file-empty':
      return later('empty-file', 'file')
    case 'file-unfinished':
      return { kind: 'wait', afterMs: 0, code: 'file-damaged', endsBy: 'time', quiet: false }
    case 'file-too-large':
      return later('file-too-large', 'file')
    case 'journal-full':
      return station('disk', 'disk-full')
    case 'journal-damaged':
      return { kind: 'end-process' }
    case 'cancelled':
      return { kind: 'drop' }
  }
}
