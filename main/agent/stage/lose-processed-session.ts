import { type Failure, requestIdOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import type { Journal } from '../journal/journal.ts'

/**
 * Call after the service repeatedly reported a processed session as missing. None of its recordings is safe any more,
 * and each shows the problem. Files that are still on this PC stay.
 */
export const loseProcessedSession = (journal: Journal, sessionId: string, failure: Failure): void =>
  journal.transaction(() => {
    const requestId = requestIdOf(failure)
    const code = failure.kind === 'other-organisation' ? 'session-elsewhere' : 'session-deleted'
    for (const { id, state, service } of journal.recordings.bySession(sessionId))
      if (state === 'processed' && service === journal.station.serviceInUse())
        journal.recordings.transition(
          id,
          'processed',
          { kind: 'deleted-at-service' },
          {
            reason: 'the service no longer has the session; the file stays',
            requestId,
            patch: { problem: problemOf(code, { requestId }) },
          },
        )
  })
