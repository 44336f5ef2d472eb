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
 * The second recording waits for the first and shares its session. If the session is already processed, Sluice polls it
 * again. If the service does not confirm the content, Sluice uploads the second recording.
 */

/**
 * The other recordings of the site with the same content. Excludes recordings whose session is at a different service.
 */
const twinsOf = (journal: Journal, recording: Recording): Recording[] =>
  journal.recordings.sameContent(recording, journal.station.service() ?? '')

/** Whether Sluice still has to search for the recording's session. */
const isSearched = ({ findSessionFirst, sessionId }: Recording): boolean =>
  findSessionFirst && sessionId === null

/** Another recording with the same content, if the current service has already processed it. */
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

/** Lets a copy use the session of its processed twin, because the copy's file vanished after the hash. */
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
 * Polls a twin's session, because the session may have been deleted since the journal stored it. `unclear`: the
 * recording waits for a later poll.
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
  // A user is deleting this session, so do not share it now. The deletion dismisses all recordings of the session.
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
    // A replica may lag, or the service processes the session again.
    case 'uploading':
    case 'unclear':
    case 'processing': {
      const attempts = recording.attempts + 1
      return attempts > SAME_CONTENT_RETRIES ? 'not-safe' : wait(attempts, backOffMs(attempts, random))
    }
  }
}

/**
 * The twin uploads the content, so it gets the recording's priority and permission to upload outside the upload hours.
 */
const prioritiseTwin = ({ recordings, station }: Journal, recording: Recording, twin: Recording): void => {
  if (recording.prioritised && !twin.prioritised) recordings.patch(twin.id, { prioritised: true })
  const request = station.uploadNow()
  if (request === null || !request.recordingIds.includes(recording.id)) return
  if (request.recordingIds.includes(twin.id)) return
  station.setUploadNow({ ...request, recordingIds: [...request.recordingIds, twin.id] })
}

/**
 * Lets a copy wait for its twin and then share its session. Returns true if there is nothing else to do for the copy
 * now.
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
        // Reset the attempts, because other copies wait for this one only during its first attempts.
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
  // While Sluice searches for a twin's session, that session may in fact be this recording's session. For example, a
  // user may have copied the file and deleted the original. But if this recording has lost or given up a session, it
  // must not find that session again.
  const mayHaveSession = recording.createKey === null && !journal.recordings.leftSession(recording.id)
  if (mayHaveSession && !recording.findSessionFirst && twins.some(isSearched)) {
    journal.recordings.patch(recording.id, { findSessionFirst: true })
    return true
  }
  // Wait for a twin only during its first retries, or if all its parts are at the service. Of two ready recordings,
  // only the newer one waits.
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
