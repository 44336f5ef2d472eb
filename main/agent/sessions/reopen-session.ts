import { REOPENED_SESSION_RETRIES } from '../domain/retry-limits.ts'
import type { Recording } from '../journal/journal.ts'
import type { RemoteSession } from '../ports/service.ts'
import { applyDecision, type DecisionContext } from '../stage/apply-decision.ts'

/**
 * Hard case: A completed session is open again (failover).
 * Sluice believes this once at least three polls in a row, over at least 20 s, show the session as open. Then Sluice
 * sends the missing parts, completes the session with a new idempotency key and reports the reopening. From the fourth
 * reopening on, Sluice shows a problem and retries every hour.
 */

/** How many times the service reopened the recording's complete session. */
const reopeningsOf = ({ journal }: DecisionContext, { id }: Recording): number =>
  journal.views
    .timeline(id)
    .filter(({ from, to }) => from === 'processing' && (to === 'uploading' || to === 'completing')).length

/**
 * The service reopened a complete session, for example after a failover. Sluice sends the missing parts and completes
 * the session again. If no part is missing, Sluice does not need the file. The completion needs a new idempotency key,
 * because the service would repeat its old answer for the old key (§8). Returns false if the service has reopened the
 * session too often: the recording then shows a problem and waits. The first call after this wait sends the parts.
 */
export const reopen = (
  context: DecisionContext,
  recording: Recording,
  session: RemoteSession,
  requestId: string | null,
): boolean => {
  const { journal } = context
  const wasOnHold = recording.problem?.code === 'session-reopened'
  if (!wasOnHold && reopeningsOf(context, recording) >= REOPENED_SESSION_RETRIES) {
    applyDecision(context, { kind: 'recording', recording }, { kind: 'session-reopened', requestId })
    return false
  }
  const missingParts = session.upload?.parts.length ?? 0
  journal.transaction(() => {
    journal.recordings.transition(
      recording.id,
      'processing',
      { kind: missingParts > 0 ? 'parts-missing' : 'reopened' },
      {
        reason: 'the service reopened the session',
        requestId,
        // Drop the creation key, so that Sluice never deletes this session. It may still be complete, because a lagging
        // replica can report a complete session as open.
        patch: { completeKey: null, completeKeyAtMs: null, createKey: null },
      },
    )
    const { id: recordingId, sessionId } = recording
    journal.activity.note({ kind: 'reopened', parts: missingParts }, { recordingId, sessionId, requestId })
  })
  return true
}
