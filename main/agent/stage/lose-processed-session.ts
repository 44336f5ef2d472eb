import type { ProblemCode } from '../../../shared/status/problem.ts'
import { type Failure, requestIdOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import type { Journal } from '../journal/journal.ts'

/**
 * For a processed session that the service has repeatedly reported as missing, or as one of a different organisation.
 */
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

/** For a processed session that the service has shown for hours as failed, unfinished, or with different content. */
export const denyProcessedSession = (journal: Journal, sessionId: string, requestId: string | null): void =>
  endSafety(
    journal,
    sessionId,
    'the service no longer confirms the session; the file stays',
    'session-denied',
    requestId,
  )

/** The session's recordings no longer count as safe and show the problem. Their files stay on this PC. */
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
