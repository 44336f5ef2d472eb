import { type Failure, requestIdOf, wordsOf } from '../domain/failure.ts'
import type { RemoteSession, ServiceClient } from '../ports/service.ts'

/**
 * A search reads this much further back than the earliest possible creation of the session, because the clocks of a
 * service's servers may differ by a time zone. Reading too far back costs only more pages, but a missed session causes
 * a duplicate. All times are by the service's clock, because this PC's clock may be days off.
 */
export const CLOCK_SLACK_MS = 26 * 3_600_000

/** A search for the session of a recording. */
export type Search = {
  readonly service: ServiceClient
  /** True if no recording of this station uses or has given up the session. */
  readonly isFree: (sessionId: string) => boolean
  /** True if the service has denied the session so often, and for so long, that Sluice believes the denial. */
  readonly isLost: (sessionId: string, denial: Failure) => boolean
  /**
   * Returns the oldest mtime of all files at the site that wait for a search. Usually, no session is older than its
   * file, so one walk back to this time finds all their sessions. Null if the session may be older than its file.
   */
  readonly oldestMtimeMs: (() => number) | null
}

export type FoundSessions = {
  readonly ids: readonly string[]
  /** Not null if Sluice could not read a session that may have the wanted content. */
  readonly unknown: Failure | null
}

/**
 * Whether the session is at the site or names no site. The service may ignore the filter of a list request, or
 * normalise Unicode in names.
 */
export const isAtSite = (session: Pick<RemoteSession, 'site'>, site: string): boolean =>
  session.site === null || session.site.normalize() === site.normalize()

export const listedSessionDenied = (denial: Failure): Failure => ({
  kind: 'listed-session-denied',
  detail: 'the service lists a session with the same content, but does not return it',
  requestId: requestIdOf(denial),
})

/**
 * Turns an error or a timeout into a failure of the search alone, because the service may have trouble only with lists.
 * An error with a Retry-After concerns the whole station (§7).
 */
export const asSearchFailure = (failure: Failure): Failure =>
  failure.kind === 'timeout' || (failure.kind === 'service' && failure.retryAfterMs === null)
    ? searchFailed(failure)
    : failure

export const searchFailed = (cause: Failure): Failure => ({
  kind: 'search-failed',
  detail: wordsOf(cause) ?? 'no answer',
  requestId: requestIdOf(cause),
})
