import type { Journal, Recording } from '../journal/journal.ts'
import { withoutSession } from './carry-out.ts'

/** One whose bytes, the very same, are processed in the service now in use. */
export const processedTwin = (journal: Journal, recording: Recording): Recording | undefined =>
  journal.recordings
    .sameContent(recording, journal.station.service() ?? '')
    .find((twin) => twin.state === 'processed')

/** The copy shares its twin's session; whatever it had at the service itself is given up. */
export const shareSession = (
  journal: Journal,
  copy: Recording,
  { id, sessionId, service, session }: Recording,
  reason: string,
): void =>
  journal.transaction(() => {
    journal.givenUp.ofRecording(copy, reason)
    journal.parts.forgetSession(copy.id)
    journal.recordings.transition(
      copy.id,
      copy.state,
      { kind: 'same-content' },
      { reason, patch: { ...withoutSession, duplicateOf: id, sessionId, service, session } },
    )
  })

/** A copy whose file is gone: nothing is lost, since what it held was read before, and is safe. */
export const shareWithVanished = (journal: Journal, copy: Recording, twin: Recording): void =>
  shareSession(journal, copy, twin, `the file is gone, but its content is safe: the same as ${twin.name}`)
