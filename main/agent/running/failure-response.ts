import type { ProblemCode } from '../../../shared/status.ts'
import { type Failure, requestIdOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import { type Decision, decide } from '../domain/retry-policy.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Clock, Random, StationGate } from '../ports.ts'

const VANISHED_LOOK_MS = 10_000
/** One hiccup is nobody's business; from here on the person sees what Sluice is waiting for. */
const TELL_FROM_ATTEMPT = 3

type Dependencies = {
  readonly journal: Journal
  readonly gate: StationGate
  readonly clock: Clock
  readonly random: Random
}

const describe = (failure: Failure): string => {
  switch (failure.kind) {
    case 'rejected':
    case 'conflict':
      return failure.message
    case 'network':
    case 'timeout':
    case 'certificate':
    case 'unreadable-answer':
    case 'file-unreadable':
    case 'file-changed':
      return failure.detail
    case 'service':
      return `status ${failure.status}`
    default:
      return failure.kind
  }
}

/** What a recording forgets along with its session. */
export const withoutSession = {
  sessionId: null,
  createKey: null,
  createKeyAtMs: null,
  createBody: null,
  completeKey: null,
  urlsExpireAtMs: null,
} as const

/** The session is given up and the content goes into a new one. Nothing local is lost. */
export const abandonSession = (
  journal: Journal,
  recording: Recording,
  reason: string,
  options: { readonly deleteAtService: boolean; readonly requestId?: string | null },
): void =>
  journal.transaction(() => {
    if (options.deleteAtService) journal.givenUp.ofRecording(recording, reason)
    journal.parts.forgetSession(recording.id)
    journal.recordings.transition(
      recording.id,
      recording.state,
      { kind: 'session-abandoned' },
      {
        reason,
        requestId: options.requestId ?? null,
        patch: withoutSession,
      },
    )
  })

const block = (journal: Journal, recording: Recording, code: ProblemCode, failure: Failure): void => {
  const requestId = requestIdOf(failure)
  const problem = problemOf(code, { detail: describe(failure), requestId })
  journal.recordings.transition(
    recording.id,
    recording.state,
    { kind: 'blocked' },
    { reason: problem.sentence, requestId, patch: { problem } },
  )
}

/** Carries out the retry policy for one recording. `refresh-urls` is left to the caller, who has the session. */
export const respond = (deps: Dependencies, recording: Recording, failure: Failure): Decision['kind'] => {
  const { journal, gate, clock, random } = deps
  const attempt = recording.attempts + 1
  const decision = decide(failure, attempt, random)
  const requestId = requestIdOf(failure)
  switch (decision.kind) {
    case 'retry': {
      if (decision.scope === 'station') {
        gate.close('service-unreachable', { detail: describe(failure) })
        break
      }
      const nextAttemptAtMs = clock.wallMs() + decision.afterMs
      const code = failure.kind === 'rate-limited' ? 'rate-limited' : 'service-error'
      const told = problemOf(code, { detail: describe(failure), nextAtMs: nextAttemptAtMs, requestId })
      journal.recordings.patch(recording.id, {
        attempts: attempt,
        nextAttemptAtMs,
        ...(attempt >= TELL_FROM_ATTEMPT ? { problem: told } : {}),
      })
      break
    }
    case 'stop-station':
      gate.close(decision.code, { requestId })
      break
    case 'block':
      block(journal, recording, decision.code, failure)
      break
    case 'session-lost':
      // Nothing to lose yet: what answers there does not know the way to create a session.
      if (recording.sessionId === null) block(journal, recording, 'service-answer-unreadable', failure)
      else
        abandonSession(
          journal,
          recording,
          failure.kind === 'other-organisation'
            ? 'the session belongs to another organisation than the key'
            : 'the service no longer has the session',
          { deleteAtService: false, requestId },
        )
      break
    case 'file-changed':
      journal.recordings.transition(
        recording.id,
        recording.state,
        { kind: 'changed' },
        { reason: `the file changed: ${describe(failure)}` },
      )
      break
    // The watcher tells a vanished file from a folder that is offline.
    case 'file-vanished':
      journal.recordings.patch(recording.id, { nextAttemptAtMs: clock.wallMs() + VANISHED_LOOK_MS })
      break
    case 'refresh-urls':
    case 'drop':
      break
  }
  return decision.kind
}
