import { mismatchDelayMs } from '../domain/retry-policy.ts'
import type { Journal, Recording, RecordingPatch } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'
import { abandonSession } from '../stage/apply-decision.ts'

/** A service that keeps refusing would otherwise be sent a new session every second. */
export const afterAWhile = ({ mismatches }: Recording, nowMs: number): RecordingPatch => ({
  mismatches: mismatches + 1,
  nextAttemptAtMs: nowMs + mismatchDelayMs(mismatches),
})

/** It reads `failed` after a refused completion: the content goes into a new one, and that one is left as it is. */
export const replaceClosedSession = (
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  recording: Recording,
  requestId: string | null,
): void =>
  abandonSession(journal, recording, 'the service refused the content and closed the session; a new one', {
    deleteAtService: false,
    requestId,
    patch: afterAWhile(recording, clock.wallMs()),
  })
