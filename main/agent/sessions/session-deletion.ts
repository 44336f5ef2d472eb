import type { Failure, Outcome } from '../domain/failure.ts'
import { DELETION_CHECK_DELAY_MS, DELETION_UNDONE_AFTER_MS } from '../domain/retry-limits.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { ServiceClient } from '../ports/service.ts'
import { abandonSession } from '../stage/apply-decision.ts'
import type { StageWorld } from '../stage/stage.ts'

export const FILE_BEING_REMOVED =
  'Nothing was deleted: Sluice is removing the file of this session from this PC. Try again in a moment.'

/**
 * Call this before the DELETE (§4.6), so that the agent checks the session after a crash. Returns false if the session
 * must stay, because the remover is about to remove its file.
 */
export const intendDeletion = (journal: Journal, sessionId: string): boolean =>
  journal.transaction(() => {
    const users = journal.recordings.bySession(sessionId)
    if (users.some(({ id }) => journal.removals.of(id)?.step === 'aside')) return false
    if (users.length > 0) journal.deletions.intend(sessionId)
    return true
  })

/**
 * Updates the recordings of a session that a user has deleted. Reads them again, because they may have changed during
 * the request.
 */
export const noteDeletion = (journal: Journal, sessionId: string, requestId: string | null): void =>
  journal.transaction(() => {
    journal.deletions.forget(sessionId)
    for (const recording of journal.recordings.bySession(sessionId))
      noteDeletionOf(journal, recording, requestId)
  })

const noteDeletionOf = (journal: Journal, recording: Recording, requestId: string | null): void => {
  switch (recording.state) {
    case 'processing':
    case 'processed':
      journal.recordings.transition(
        recording.id,
        recording.state,
        { kind: 'deleted-at-service' },
        {
          reason: 'deleted at the service by a user',
          requestId,
          // The user deleted the session on purpose, so this is no problem.
          patch: { problem: null },
        },
      )
      break
    case 'uploading':
    case 'completing':
      // Pause the recording, because the user does not want to upload it again at once.
      journal.recordings.patch(recording.id, { paused: true })
      abandonSession(journal, recording, 'deleted at the service by a user', {
        deleteAtService: false,
        requestId,
      })
      break
    case 'growing':
    case 'queued':
    case 'hashing':
    case 'ready':
      // The file changed during the upload, so the recording is in an early state but still has the session.
      journal.recordings.patch(recording.id, { paused: true })
      break
    default:
      break
  }
}

/**
 * Checks deletions without an answer. A session that still exists after a long time was not deleted; before that, the
 * request may still be in progress.
 */
export const resolveDeletions = async (
  { journal, clock, station }: Pick<StageWorld, 'journal' | 'clock' | 'station'>,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<void> => {
  const serviceInUse = journal.station.serviceInUse()
  for (const { sessionId, requestedAtMs } of journal.deletions.due()) {
    if (!station.mayRequest()) return
    // If Sluice uses a different service now, the check waits.
    const isAtService = journal.recordings
      .bySession(sessionId)
      .some((recording) => recording.service === serviceInUse)
    const answer = isAtService ? await service.retrieveSession(sessionId, signal) : null
    if (signal.aborted) return
    const ageMs = Math.abs(clock.wallMs() - requestedAtMs)
    if (answer !== null && !answer.ok && answer.failure.kind === 'not-found')
      noteDeletion(journal, sessionId, answer.failure.requestId)
    else if (answer !== null && mayForget(answer, ageMs)) journal.deletions.forget(sessionId)
    else journal.deletions.wait(sessionId, clock.wallMs() + DELETION_CHECK_DELAY_MS)
  }
}

/** True if the session still exists long after the request, or if the key cannot read it. */
const mayForget = (answer: Outcome<unknown>, ageMs: number): boolean =>
  answer.ok ? ageMs >= DELETION_UNDONE_AFTER_MS : answer.failure.kind === 'other-organisation'

/** After a failure that is not a refusal, the session may have been deleted. */
export const wasDeletionRefused = ({ kind }: Failure): boolean =>
  kind === 'auth' || kind === 'rejected' || kind === 'other-organisation' || kind === 'conflict'
