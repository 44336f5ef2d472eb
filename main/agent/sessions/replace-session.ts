import { mismatchDelayMs } from '../domain/retry-policy.ts'
import type { Journal, Recording, RecordingPatch } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'
import { abandonSession } from '../stage/apply-decision.ts'

/**
 * Hard case: The whole-file checksum does not match (409).
 * The hasher reads the file again. If the content is unchanged, Sluice sends all parts again; otherwise the upload
 * starts over. From the fourth mismatch on, the recording is on hold, and Sluice retries every hour. If the session is
 * `failed`, Sluice creates a new one.
 */

/** Lets the recording wait before the next session, because the service may refuse that one, too. */
export const mismatchBackoff = ({ mismatches }: Recording, nowMs: number): RecordingPatch => ({
  mismatches: mismatches + 1,
  nextAttemptAtMs: nowMs + mismatchDelayMs(mismatches),
})

/**
 * For a session that is `failed` after a refused completion. Sluice uploads the content in a new session and leaves the
 * old one as it is.
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
