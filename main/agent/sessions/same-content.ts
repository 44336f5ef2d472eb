import {
  DELETION_CHECK_DELAY_MS,
  PRECAUTION_RETRIES,
  SAME_CONTENT_RETRIES,
  SAME_CONTENT_RETRY_DELAY_MS,
} from '../domain/retry-limits.ts'
import { backOffMs } from '../domain/retry-policy.ts'
import { contentDifference } from '../domain/session-content.ts'
import { stageOf } from '../domain/session-summary.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { ServiceClient } from '../ports/service.ts'
import { applyDecision, type DecisionContext, withoutSession } from '../stage/apply-decision.ts'
import { loseProcessedSession } from '../stage/lose-processed-session.ts'

/**
 * Hard case: Two files of one site have the same content.
 * The second recording waits for the first and shares its session. If the first recording is already processed, Sluice
 * polls its session again. If the service does not confirm the session, Sluice uploads the second recording. If the
 * second file vanished after it was hashed, its recording shares the processed session without this poll.
 */

/**
 * The twins of a recording: the other recordings of its site with the same content. Excludes recordings whose session
 * is at a different service.
 */
const twinsOf = (journal: Journal, recording: Recording): Recording[] =>
  journal.recordings.sameContent(recording, journal.station.service() ?? '')

/** Whether Sluice still has to search for the recording's session. */
const isSearched = ({ findSessionFirst, sessionId }: Recording): boolean =>
  findSessionFirst && sessionId === null

/** A recording with the same bytes that the current service has processed. */
export const processedTwin = (journal: Journal, recording: Recording): Recording | undefined =>
  twinsOf(journal, recording).find((twin) => twin.state === 'processed')

/** Lets a recording (the copy) use the session of its twin and give up its own session. */
const shareSession = (
  journal: Journal,
  copy: Recording,
  { id, sessionId, service, underTestKey, session }: Recording,
  reason: string,
): void =>
  journal.transaction(() => {
    journal.givenUp.addSessionOf(copy, reason)
    journal.parts.forgetSession(copy.id)
    journal.recordings.transition(
      copy.id,
      copy.state,
      { kind: 'same-content' },
      { reason, patch: { ...withoutSession, duplicateOf: id, sessionId, service, underTestKey, session } },
    )
  })

/** Call if the copy's file vanished after it was hashed, and the twin with the same content is safe at the service. */
export const shareWithVanished = (journal: Journal, copy: Recording, twin: Recording): void =>
  shareSession(journal, copy, twin, `the file is gone, but its content is safe: the same as ${twin.name}`)

type ProcessedTwin = Recording & { readonly sessionId: string }

/**
 * One recording for each processed session with this content. The newest session comes first, because it most likely
 * still exists.
 */
const processedTwins = (journal: Journal, recording: Recording): ProcessedTwin[] => {
  const bySession = new Map<string, ProcessedTwin>()
  for (const twin of twinsOf(journal, recording)) {
    const { state, sessionId } = twin
    if (state === 'processed' && sessionId !== null && !bySession.has(sessionId))
      bySession.set(sessionId, { ...twin, sessionId })
  }
  return [...bySession.values()].reverse()
}

/**
 * Polls the session of a twin. The journal entry may be years old, so the session may have been deleted since, or its
 * content may have changed. `unclear`: the recording waits for a later poll.
 */
const pollTwin = async (
  context: DecisionContext,
  recording: Recording,
  { sessionId }: ProcessedTwin,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<'safe' | 'not-safe' | 'unclear'> => {
  const { journal, clock, random } = context
  const wait = (attempts: number, afterMs: number) => {
    journal.recordings.hold(recording, { attempts, untilMs: clock.wallMs() + afterMs, problem: null })
    return 'unclear' as const
  }
  // A user is deleting the session, which dismisses all its recordings. If this recording shared the session now, it
  // would be dismissed too.
  if (journal.deletions.has(sessionId)) return wait(recording.attempts, DELETION_CHECK_DELAY_MS)
  const answer = await service.retrieveSession(sessionId, signal)
  if (!answer.ok) {
    const { failure } = answer
    const decision = applyDecision(context, { kind: 'twin-session', recording, sessionId }, failure)
    if (decision !== 'session-lost') return 'unclear'
    loseProcessedSession(journal, sessionId, failure)
    return 'not-safe'
  }
  const { value: session } = answer.value
  if (contentDifference(session, recording) !== null) return 'not-safe'
  switch (stageOf(session.status)) {
    case 'processed':
      return 'safe'
    case 'failed':
      return 'not-safe'
    // Either a replica lags, or the service is processing the session again.
    case 'uploading':
    case 'unclear':
    case 'processing': {
      const attempts = recording.attempts + 1
      return attempts > SAME_CONTENT_RETRIES ? 'not-safe' : wait(attempts, backOffMs(attempts, random))
    }
  }
}

/**
 * If a user prioritised the recording, or wants it uploaded outside the upload hours, the same applies to the twin,
 * because the twin uploads the content.
 */
const prioritiseTwin = ({ recordings, station }: Journal, recording: Recording, twin: Recording): void => {
  if (recording.prioritised && !twin.prioritised) recordings.patch(twin.id, { prioritised: true })
  const request = station.uploadNow()
  if (request === null || !request.recordingIds.includes(recording.id)) return
  if (request.recordingIds.includes(twin.id)) return
  station.setUploadNow({ ...request, recordingIds: [...request.recordingIds, twin.id] })
}

/**
 * Lets a copy wait for its twin and then share the twin's session. If the twin fails, or the service no longer has the
 * twin's session, Sluice uploads the copy. Returns true if there is nothing else to do for the copy now.
 */
export const shareOrWaitForTwin = async (
  context: DecisionContext,
  recording: Recording,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<boolean> => {
  const { journal, clock } = context
  for (const twin of processedTwins(journal, recording)) {
    const answer = await pollTwin(context, recording, twin, service, signal)
    if (answer === 'unclear') return true
    const isOver = journal.transaction(() => {
      const [now, twinNow] = [recording, twin].map(({ id }) => journal.recordings.byId(id))
      // The recording changed before the answer arrived.
      if (now?.state !== recording.state || now.sha256 !== recording.sha256) return true
      if (answer === 'not-safe') {
        // Reset the attempts: after several attempts, other copies would no longer wait for this one.
        if (now.attempts > 0) journal.recordings.patch(now.id, { attempts: 0, problem: null })
        return false
      }
      if (twinNow?.state !== 'processed' || twinNow.sessionId !== twin.sessionId) return true
      if (journal.deletions.has(twin.sessionId)) return true
      shareSession(journal, now, twinNow, `same content as ${twin.name}, which is already processed`)
      return true
    })
    if (isOver) return true
  }
  const twins = twinsOf(journal, recording)
  // If Sluice still has to search for the session of a twin, that session may also be the session of this recording.
  // For example, a file was copied and deleted instead of moved. But a recording that left its session must not find
  // that session again.
  const mayHaveSession = recording.createKey === null && !journal.recordings.leftSession(recording.id)
  if (mayHaveSession && !recording.findSessionFirst && twins.some(isSearched)) {
    journal.recordings.patch(recording.id, { findSessionFirst: true })
    return true
  }
  // Wait for a twin only during its first retries, unless all its parts are at the service. If both recordings are
  // ready, only the newer one waits.
  const activeTwin = twins.find(
    (twin) =>
      twin.state === 'completing' ||
      twin.state === 'processing' ||
      (!twin.paused &&
        twin.attempts <= (isSearched(twin) ? PRECAUTION_RETRIES : SAME_CONTENT_RETRIES) &&
        (twin.problem === null || twin.problem.endsBy === 'time') &&
        (twin.state === 'uploading' || (twin.state === 'ready' && twin.id < recording.id))),
  )
  if (activeTwin === undefined) return false
  prioritiseTwin(journal, recording, activeTwin)
  // The copy shows the problem of the twin that it waits for.
  const { problem } = activeTwin
  const attempts = activeTwin.paused ? Math.max(1, activeTwin.attempts) : activeTwin.attempts
  const untilMs = clock.wallMs() + SAME_CONTENT_RETRY_DELAY_MS
  if (problem !== null) journal.recordings.hold(recording, { attempts, untilMs, problem })
  else journal.recordings.patch(recording.id, { attempts, nextAttemptAtMs: untilMs, problem: null })
  return true
}
