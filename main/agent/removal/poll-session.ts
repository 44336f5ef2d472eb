import type { FolderSettings } from '../../../shared/settings/settings.ts'
import {
  isTooSoonByServiceClock,
  type RemovalPolicy,
  serviceObjection,
  type Wait,
} from '../domain/removal-rules.ts'
import type { Recording } from '../journal/journal.ts'
import type { ServiceClient } from '../ports/service.ts'
import { applyDecision, type DecisionContext } from '../stage/apply-decision.ts'
import { loseProcessedSession } from '../stage/lose-processed-session.ts'

export type Due = {
  readonly recording: Recording
  readonly folder: FolderSettings
  readonly policy: RemovalPolicy
  /** Sluice removes the file before its retention time has passed, because its drive is nearly full. */
  readonly early: boolean
}

/** `over`: the journal has the result. */
export type PollOutcome = Wait | 'over'

type Poll = { readonly objection: PollOutcome | null; readonly requestId: string | null }

/** The objection is null if the service still reports the session as processed, with the same content. */
export const pollSession = async (
  world: DecisionContext,
  { recording, policy, early }: Pick<Due, 'recording' | 'policy' | 'early'>,
  service: ServiceClient,
  signal: AbortSignal,
): Promise<Poll> => {
  const { journal } = world
  if (recording.sessionId === null) return { objection: 'not-processed', requestId: null }
  const answer = await service.retrieveSession(recording.sessionId, signal)
  if (answer.ok) {
    const { value: session, requestId, isCached } = answer.value
    if (isCached === true) return { objection: 'no-answer', requestId }
    const isTooSoon =
      !early && isTooSoonByServiceClock(session, recording.processedAtMs, service.nowMs(), policy.days)
    return { objection: serviceObjection(session, recording) ?? (isTooSoon ? 'too-soon' : null), requestId }
  }
  const { failure } = answer
  const attempts = journal.removals.of(recording.id)?.attempts ?? 0
  if (applyDecision(world, { kind: 'leaving', recording, attempts }, failure) === 'session-lost')
    loseProcessedSession(journal, recording.sessionId, failure)
  return { objection: 'over', requestId: null }
}
