import { mismatchDelayMs } from '../domain/retry-policy.ts'
import type { Journal, Recording, RecordingPatch } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'
import { abandonSession } from '../stage/apply-decision.ts'

/**
 * Hard case: The whole-file checksum does not match (409).
 * The hasher reads the file again. If the content is unchanged, Sluice sends all parts again. If it changed, the upload
 * starts over. From the fourth mismatch on, the completer puts the recording on hold and retries every hour. If the
 * session's status is `failed` after the refusal, Sluice uploads the content in a new session.
 */

/**
 * Lets the recording wait before the next session. Otherwise a service that keeps refusing would get a new session
 * every second.
 */
export const mismatchBackoff = ({ mismatches }: Recording, nowMs: number): RecordingPatch => ({
  mismatches: mismatches + 1,
  nextAttemptAtMs: nowMs + mismatchDelayMs(mismatches),
})

/**
 * Call if the session is `failed` after a refused completion. Sluice uploads the content in a new session and does
 * not change the old one.
 */
export const replaceClosedSession = (
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  recording: Recording,
  requestId: string | null,
): void =>
  abandonSession(
    journal,
    recording,
    'the service refused the content and closed the session; starting a new one',
    {
      deleteAtService: false,
      requestId,
      patch: mismatchBackoff(recording, clock.wallMs()),
    },
  )
