import type { ProblemCode } from '../../../shared/status/problem.ts'
import { type Failure, requestIdOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import type { Journal } from '../journal/journal.ts'

/** Call after the service repeatedly reported a processed session as missing, or as one of a different organisation. */
export const loseProcessedSession = (journal: Journal, sessionId: string, failure: Failure): void => {
  const code = failure.kind === 'other-organisation' ? 'session-elsewhere' : 'session-deleted'
  endSafety(
    journal,
    sessionId,
    'the service no longer has the session; the file stays',
    code,
    requestIdOf(failure),
  )
}

/**
 * Call after the service has shown for hours that a processed session has failed, is unfinished, or has different
 * content.
 */
export const denyProcessedSession = (journal: Journal, sessionId: string, requestId: string | null): void =>
  endSafety(
    journal,
    sessionId,
    'the service no longer confirms the session; the file stays',
    'session-denied',
    requestId,
  )

/**
 * The session's recordings at the current service no longer count as safe, and each shows the problem. Files that are
 * still on this PC stay.
 */
const endSafety = (
  journal: Journal,
  sessionId: string,
  reason: string,
  code: ProblemCode,
  requestId: string | null,
): void =>
  journal.transaction(() => {
    for (const { id, state, service } of journal.recordings.bySession(sessionId))
      if (state === 'processed' && service === journal.station.serviceInUse())
        journal.recordings.transition(
          id,
          'processed',
          { kind: 'deleted-at-service' },
          {
            reason,
            requestId,
            patch: { problem: problemOf(code, { requestId }) },
          },
        )
  })
