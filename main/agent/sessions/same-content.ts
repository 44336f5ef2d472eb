import { SAME_CONTENT_RETRY_DELAY_MS } from '../domain/retry-policy.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'
import { withoutSession } from '../stage/apply-decision.ts'

/** One whose bytes, the very same, are processed in the service now in use. */
export const processedTwin = (journal: Journal, recording: Recording): Recording | undefined =>
  journal.recordings
    .sameContent(recording, journal.station.service() ?? '')
    .find((twin) => twin.state === 'processed')

/** The copy shares its twin's session; whatever it had at the service itself is given up. */
const shareSession = (
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

/**
 * A copy waits for its twin and then shares its session; if the twin comes to nothing, the copy goes itself. True where
 * there is nothing else to do for the copy now.
 */
export const sharesOrWaits = (
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  recording: Recording,
): boolean => {
  const processed = processedTwin(journal, recording)
  if (processed !== undefined) {
    const reason = `same content as ${processed.name}, which is already processed`
    shareSession(journal, recording, processed, reason)
    return true
  }
  const twins = journal.recordings.sameContent(recording, journal.station.service() ?? '')
  // One that itself waits for something is not waited for, unless all of it is at the service.
  const ahead = twins.find(
    (twin) =>
      twin.state === 'completing' ||
      twin.state === 'processing' ||
      (!twin.paused &&
        twin.attempts === 0 &&
        (twin.problem === null || twin.problem.endsBy === 'time') &&
        (twin.state === 'uploading' || (twin.state === 'ready' && twin.id < recording.id))),
  )
  if (ahead === undefined) return false
  // Whatever its twin waits for, it waits for too: of itself it has nothing left to do.
  const { problem } = ahead
  const attempts = ahead.paused ? Math.max(1, ahead.attempts) : ahead.attempts
  const untilMs = clock.wallMs() + SAME_CONTENT_RETRY_DELAY_MS
  if (problem !== null) journal.recordings.hold(recording, { attempts, untilMs, problem })
  else journal.recordings.patch(recording.id, { attempts, nextAttemptAtMs: untilMs, problem: null })
  return true
}
