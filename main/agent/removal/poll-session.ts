import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { isDenial } from '../domain/failure.ts'
import {
  deniedSinceMs,
  isSessionDenialBelieved,
  isTooSoonByServiceClock,
  type RemovalPolicy,
  type SessionDenial,
  serviceObjection,
  sessionDenial,
  type Wait,
} from '../domain/removal-rules.ts'
import { REMOVAL_POLL_DOUBLINGS, REMOVAL_POLL_TIMEOUT_MS } from '../domain/retry-limits.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { ServiceClient } from '../ports/service.ts'
import { applyDecision, type DecisionContext } from '../stage/apply-decision.ts'
import { denyProcessedSession, loseProcessedSession } from '../stage/lose-processed-session.ts'
import type { StageWorld } from '../stage/stage.ts'

export type Due = {
  readonly recording: Recording
  readonly folder: FolderSettings
  readonly policy: RemovalPolicy
  /** True if Sluice removes the file before its retention time has passed, to free space on its drive. */
  readonly early: boolean
}

/** `over`: the journal already shows how the removal ended. */
export type PollOutcome = Wait | 'over'

/**
 * Hard case: The service takes minutes to answer for one session, while other files are due for removal.
 * The poll before a removal has a short time limit. If the service does not answer in time, the file waits, and Sluice
 * removes other files. Each poll without an answer doubles the limit, so that even a slow service can answer in time.
 */

/**
 * Hard case: Before a removal, a service shows a processed session as missing, failed, unfinished, or different.
 * The file stays. The answer may come from a stale copy of the service's database. If the service still gives this
 * answer hours later, the recording counts as unsafe and needs attention.
 */

type World = DecisionContext & Pick<StageWorld, 'sleep'>

/** Null if the service did not answer within the limit, or if the signal aborts. */
const retrieveWithin = async (
  { sleep }: World,
  sessionId: string,
  limitMs: number,
  service: ServiceClient,
  signal: AbortSignal,
) => {
  const [limit, ended] = [new AbortController(), new AbortController()]
  void sleep(limitMs, AbortSignal.any([signal, ended.signal])).then(() => limit.abort())
  const answer = await service.retrieveSession(sessionId, AbortSignal.any([signal, limit.signal]))
  const isLate = limit.signal.aborted
  ended.abort()
  return isLate && !answer.ok ? null : answer
}

/** Stores in the journal whether the service denies the processed session. True if the denial has lasted for hours. */
const isDenialBelieved = (
  journal: Journal,
  recording: Recording,
  denial: SessionDenial | null,
  nowMs: number,
): boolean => {
  const { polls } = journal.removals
  const earlier = polls.denial(recording)
  if (denial === null) {
    if (earlier !== null) polls.forgetDenial(recording)
    return false
  }
  const sinceMs = deniedSinceMs(earlier, denial, nowMs)
  if (earlier?.denial !== denial || earlier.atMs !== sinceMs) polls.noteDenial(recording, denial, sinceMs)
  return isSessionDenialBelieved(sinceMs, nowMs)
}

type Poll = { readonly objection: PollOutcome | null; readonly requestId: string | null }

/**
 * The objection is null if the service still reports the session as processed, with the same content. Unless the
 * removal is early, the retention time must also have passed by the service's clock. A cached answer does not count.
 */
export const pollSession = async (
  world: World,
  { recording, policy, early }: Pick<Due, 'recording' | 'policy' | 'early'>,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<Poll> => {
  const { journal } = world
  if (recording.sessionId === null) return { objection: 'not-processed', requestId: null }
  const { polls } = journal.removals
  const doublings = Math.min(polls.unanswered(recording), REMOVAL_POLL_DOUBLINGS)
  const limitMs = REMOVAL_POLL_TIMEOUT_MS * 2 ** doublings
  const answer = await retrieveWithin(world, recording.sessionId, limitMs, service, signal)
  if (answer === null) {
    if (!signal.aborted) polls.noteUnanswered(recording)
    return { objection: 'no-answer', requestId: null }
  }
  if (answer.ok) {
    const { value: session, requestId, isCached } = answer.value
    if (isCached === true) return { objection: 'no-answer', requestId }
    const isTooSoon =
      !early && isTooSoonByServiceClock(session, recording.processedAtMs, service.nowMs(), policy.days)
    const objection = serviceObjection(session, recording)
    if (isDenialBelieved(journal, recording, sessionDenial(session, recording), service.nowMs())) {
      denyProcessedSession(journal, recording.sessionId, requestId)
      return { objection: 'over', requestId }
    }
    return { objection: objection ?? (isTooSoon ? 'too-soon' : null), requestId }
  }
  const { failure } = answer
  const attempts = journal.removals.of(recording.id)?.attempts ?? 0
  const decision = applyDecision(world, { kind: 'removal', recording, attempts }, failure)
  // A short run ends before it has counted enough denials, so the journal keeps the time of the first one.
  const isOver = isDenial(failure) && isDenialBelieved(journal, recording, 'not-there', service.nowMs())
  if (decision === 'session-lost' || isOver) loseProcessedSession(journal, recording.sessionId, failure)
  return { objection: 'over', requestId: null }
}
