import type { Failure, Outcome } from '../domain/failure.ts'
import { DELETION_CHECK_DELAY_MS, DELETION_UNDONE_AFTER_MS } from '../domain/retry-policy.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { ServiceClient } from '../ports/service.ts'
import { abandonSession } from '../stage/apply-decision.ts'
import type { StageWorld } from '../stage/stage.ts'

/** Before the DELETE (§4.6): after a crash, the agent asks the service what became of it. */
export const intendDeletion = (journal: Journal, sessionId: string): void =>
  journal.transaction(() => {
    if (journal.recordings.bySession(sessionId).length > 0) journal.deletions.intend(sessionId)
  })

/**
 * The user has deleted a session at the service: updates its recordings. Reads them again, because an agent next to
 * this command may have moved them on.
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
          reason: 'deleted at the service by user',
          requestId,
          // The user knows: no problem, so it counts as dismissed.
          patch: { problem: null },
        },
      )
      break
    case 'uploading':
    case 'completing':
      // Pause it: the user who deletes a partly sent session does not want it sent again at once.
      journal.recordings.patch(recording.id, { paused: true })
      abandonSession(journal, recording, 'deleted at the service by user', {
        deleteAtService: false,
        requestId,
      })
      break
    case 'growing':
    case 'queued':
    case 'hashing':
    case 'ready':
      // Its content changed while it was uploaded. It has a session only for that reason.
      journal.recordings.patch(recording.id, { paused: true })
      break
    default:
      break
  }
}

/**
 * Finds out what became of deletions whose answer never arrived. A session that is there for long was not deleted; until
 * then, the request may still be under way.
 */
export const resolveDeletions = async (
  { journal, clock, station }: Pick<StageWorld, 'journal' | 'clock' | 'station'>,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<void> => {
  const inUse = journal.station.serviceInUse()
  for (const { sessionId, askedAtMs } of journal.deletions.due()) {
    if (!station.mayRequest()) return
    // A different service cannot know this session.
    const isHere = journal.recordings.bySession(sessionId).some(({ service: at }) => at === inUse)
    const answer = isHere ? await service.retrieveSession(sessionId, signal) : null
    if (signal.aborted) return
    const ageMs = Math.abs(clock.wallMs() - askedAtMs)
    if (answer !== null && !answer.ok && answer.failure.kind === 'not-found')
      noteDeletion(journal, sessionId, answer.failure.requestId)
    else if (answer !== null && mayForget(answer, ageMs)) journal.deletions.forget(sessionId)
    else journal.deletions.wait(sessionId, clock.wallMs() + DELETION_CHECK_DELAY_MS)
  }
}

/** The session is still there long after the request, or the key cannot see it. */
const mayForget = (answer: Outcome<unknown>, ageMs: number): boolean =>
  answer.ok ? ageMs >= DELETION_UNDONE_AFTER_MS : answer.failure.kind === 'other-organisation'

/** The service refused the DELETE, so nothing was deleted. After any other failure it may have happened. */
export const wasDeletionRefused = ({ kind }: Failure): boolean =>
  kind === 'auth' || kind === 'rejected' || kind === 'other-organisation' || kind === 'conflict'
