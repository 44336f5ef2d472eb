import { SAME_CONTENT_RETRY_DELAY_MS } from '../domain/retry-policy.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'
import { withoutSession } from '../stage/apply-decision.ts'

/**
 * Hard case: The same content again.
 * The second recording waits for the first one and shares its session, even if the second file is gone by then.
 */

/** A recording with the same bytes that the current service has processed. */
export const processedTwin = (journal: Journal, recording: Recording): Recording | undefined =>
  journal.recordings
    .sameContent(recording, journal.station.service() ?? '')
    .find((twin) => twin.state === 'processed')

/** The copy uses the session of its twin and gives up its own. */
const shareSession = (
  journal: Journal,
  copy: Recording,
  { id, sessionId, service, underTestKey, session }: Recording,
  reason: string,
): void =>
  journal.transaction(() => {
    journal.givenUp.ofRecording(copy, reason)
    journal.parts.forgetSession(copy.id)
    journal.recordings.transition(
      copy.id,
      copy.state,
      { kind: 'same-content' },
      { reason, patch: { ...withoutSession, duplicateOf: id, sessionId, service, underTestKey, session } },
    )
  })

/** The copy's file is gone. Its hash is known, and its twin has the same content safe at the service. */
export const shareWithVanished = (journal: Journal, copy: Recording, twin: Recording): void =>
  shareSession(journal, copy, twin, `the file is gone, but its content is safe: the same as ${twin.name}`)

/**
 * A copy waits for its twin and then shares its session. If the twin fails, Sluice uploads the copy. True if
 * there is nothing else to do for the copy now.
 */
export const shareOrWaitForTwin = (
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
  // Do not wait for a twin that is itself waiting, unless all its parts are at the service.
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
  // The copy shows the problem of the twin that it waits for.
  const { problem } = ahead
  const attempts = ahead.paused ? Math.max(1, ahead.attempts) : ahead.attempts
  const untilMs = clock.wallMs() + SAME_CONTENT_RETRY_DELAY_MS
  if (problem !== null) journal.recordings.hold(recording, { attempts, untilMs, problem })
  else journal.recordings.patch(recording.id, { attempts, nextAttemptAtMs: untilMs, problem: null })
  return true
}
