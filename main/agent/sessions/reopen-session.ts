import { REOPENED_SESSION_RETRIES } from '../domain/retry-limits.ts'
import type { Recording } from '../journal/journal.ts'
import type { RemoteSession } from '../ports/service.ts'
import { applyDecision, type DecisionContext } from '../stage/apply-decision.ts'

/**
 * Hard case: A completed session is open again (failover).
 * Sluice believes this after three polls in a row over at least 20 s. It then sends the missing parts and completes the
 * session with a new idempotency key. From the fourth reopening on, Sluice shows a problem and retries every hour.
 */

/** How many times the service reopened the recording's complete session. */
const reopeningsOf = ({ journal }: DecisionContext, { id }: Recording): number =>
  journal.views
    .timeline(id)
    .filter(({ from, to }) => from === 'processing' && (to === 'uploading' || to === 'completing')).length

/**
 * Sends the missing parts of a reopened session and completes it again, with a new idempotency key: for the old key,
 * the service would repeat its old answer (§8). Returns false if the service has reopened the session too often. The
 * recording then shows a problem and waits.
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
        // Drop the creation key, so that Sluice never deletes this session: it may be complete, and only a lagging
        // replica shows it as open.
        patch: { completeKey: null, completeKeyAtMs: null, createKey: null },
      },
    )
    const { id: recordingId, sessionId } = recording
    journal.activity.note({ kind: 'reopened', parts: missingParts }, { recordingId, sessionId, requestId })
  })
  return true
}
