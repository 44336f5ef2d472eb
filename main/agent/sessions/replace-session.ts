import { mismatchDelayMs } from '../domain/retry-policy.ts'
import type { Journal, Recording, RecordingPatch } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'
import { abandonSession } from '../stage/apply-decision.ts'

/**
 * Hard case: The whole-file checksum does not match (409).
 * The hasher reads the file again. Unchanged content is sent again, changed content starts over; after three
 * times Sluice retries every hour. If the session's status is then `failed`, Sluice uploads the content in a new
 * session.
 */

/** Backs off, because a service that keeps refusing would otherwise get a new session every second. */
export const mismatchBackoff = ({ mismatches }: Recording, nowMs: number): RecordingPatch => ({
  mismatches: mismatches + 1,
  nextAttemptAtMs: nowMs + mismatchDelayMs(mismatches),
})

/**
 * The session is `failed` after a refused completion. Sluice uploads the content in a new session and does not
 * change the old one.
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
