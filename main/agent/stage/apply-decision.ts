import type { Problem } from '../../../shared/status/problem.ts'
import { type Failure, isDenial, originOf, paramOf, requestIdOf, wordsOf } from '../domain/failure.ts'
import { isDismissedTake, problemOf, waitsForever } from '../domain/problems.ts'
import { AWAY_DRIVE_RETRY_DELAY_MS, VANISHED_FILE_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import { type Decision, type Denials, decide, isLost } from '../domain/retry-policy.ts'
import type {
  GivenUpSession,
  Journal,
  Recording,
  RecordingPatch,
  UnsettledCreation,
} from '../journal/journal.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'

/**
 * Hard case: The service denies a session that it has (a lagging replica).
 * Sluice believes the denials after three in a row over at least 5 seconds. After the last part is sent, the limit is
 * 20 seconds. For a complete session, the limit is five minutes. Before Sluice creates a new session, it searches
 * for the old one.
 */

export type DecisionContext = {
  readonly journal: Journal
  readonly station: StationConditions
  readonly clock: Clock
  readonly random: Random
}

/** The object that a failure concerns. */
export type Target =
  | { readonly kind: 'recording'; readonly recording: Recording }
  | { readonly kind: 'given-up-session'; readonly session: GivenUpSession }
  | { readonly kind: 'given-up-creation'; readonly creation: UnsettledCreation }
  /**
   * The poll of the service before a removal. If the poll fails, the removal waits. The journal stores this wait with
   * the removal, not with the recording.
   */
  | { readonly kind: 'removal'; readonly recording: Recording; readonly attempts: number }
  /** A processed session of another recording with the same content. `recording` waits for the poll of the session. */
  | { readonly kind: 'twin-session'; readonly recording: Recording; readonly sessionId: string }
  /** One request about many recordings. Its failure does not count as an attempt of any of them. */
  | { readonly kind: 'station' }
  /** A request of the prober, while a condition or an untested key stops other requests. */
  | { readonly kind: 'probe' }

/** Clears the columns that belong to a recording's session. */
export const withoutSession = {
  sessionId: null,
  adopted: false,
  service: null,
  createKey: null,
  createKeyAtMs: null,
  createKeyServiceMs: null,
  createBody: null,
  completeKey: null,
  completeKeyAtMs: null,
  urlsExpireAtMs: null,
} as const

/** Gives up the session. Sluice uploads the content in a new one. */
export const abandonSession = (
  journal: Journal,
  recording: Recording,
  reason: string,
  options: {
    readonly deleteAtService: boolean
    readonly requestId?: string | null
    readonly patch?: RecordingPatch
  },
): void =>
  journal.transaction(() => {
    if (options.deleteAtService) journal.givenUp.addSessionOf(recording, reason)
    journal.parts.forgetSession(recording.id)
    journal.recordings.transition(
      recording.id,
      recording.state,
      { kind: 'session-abandoned' },
      { reason, requestId: options.requestId ?? null, patch: { ...withoutSession, ...options.patch } },
    )
  })

const attemptsOf = (target: Target): number => {
  switch (target.kind) {
    case 'recording':
    case 'twin-session':
      return target.recording.attempts
    case 'given-up-session':
      return target.session.attempts
    case 'given-up-creation':
      return target.creation.attempts
    case 'removal':
      return target.attempts
    case 'station':
    case 'probe':
      return 0
  }
}

/**
 * How often and for how long the service has denied the session. If the request names no session, the attempts count
 * instead.
 */
const denialsOf = (target: Target, station: StationConditions, attempt: number): Denials => {
  const ownAttempts = { count: attempt, durationMs: Number.POSITIVE_INFINITY, stage: 'uploading' } as const
  switch (target.kind) {
    case 'recording': {
      const { sessionId, state } = target.recording
      const stage = state === 'processing' ? 'complete' : state === 'completing' ? state : 'uploading'
      return sessionId === null ? ownAttempts : { ...station.denialsOf(sessionId), stage }
    }
    case 'given-up-session':
      return { ...station.denialsOf(target.session.sessionId), stage: 'uploading' }
    case 'removal':
      return { ...station.denialsOf(target.recording.sessionId ?? ''), stage: 'complete' }
    case 'twin-session':
      return { ...station.denialsOf(target.sessionId), stage: 'complete' }
    case 'given-up-creation':
    case 'station':
    case 'probe':
      return ownAttempts
  }
}

const problemFor = (decision: Extract<Decision, { kind: 'wait' }>, failure: Failure, untilMs: number) =>
  problemOf(decision.code, {
    detail: wordsOf(failure),
    endsBy: decision.endsBy,
    nextAtMs: untilMs,
    requestId: requestIdOf(failure),
    param: paramOf(failure),
  })

/**
 * A dismissed problem stays dismissed if it comes back. A dismissed take keeps its dismissed problem even if a new
 * problem occurs. Otherwise Sluice might upload the take.
 */
const keepDismissal = (earlier: Problem | null, newProblem: Problem): Problem => {
  if (earlier?.endsBy !== 'dismissed') return newProblem
  if (earlier.code === newProblem.code) return { ...newProblem, endsBy: 'dismissed' }
  return isDismissedTake({ problem: earlier }) ? { ...earlier, nextAt: newProblem.nextAt } : newProblem
}

/** False if a user has just ignored the recording, or its folder was just removed from the settings. */
const mayHold = (journal: Journal, { id, state }: Recording): boolean => {
  const current = journal.recordings.byId(id)
  // An interrupted hash always goes back to `queued`.
  return state === 'hashing' || current === null || !waitsForever(current)
}

/**
 * Lets the recording wait. From the state `hashing`, it goes back to `queued`, because an interrupted hash cannot
 * continue.
 */
const holdRecording = (
  journal: Journal,
  recording: Recording,
  wait: Parameters<Journal['recordings']['hold']>[1],
): void => {
  if (recording.state !== 'hashing') {
    journal.recordings.hold(recording, wait)
    return
  }
  const { attempts, untilMs, problem } = wait
  journal.recordings.transition(
    recording.id,
    'hashing',
    { kind: 'hash-abandoned' },
    {
      reason: 'could not be read to the end; trying again',
      isRepeat: recording.attempts > 0,
      patch: { attempts, nextAttemptAtMs: untilMs, ...(problem === null ? {} : { problem }) },
    },
  )
}

/** Records that the file has changed. If the path has a newer recording, this older one ends as `gone`. */
const recordFileChange = (journal: Journal, recording: Recording, detail: string): void => {
  const note = { reason: `the file changed: ${detail}` }
  if (recording.current) {
    journal.recordings.transition(recording.id, recording.state, { kind: 'changed' }, note)
    return
  }
  const reason = 'the file was replaced before all of it was uploaded'
  journal.transaction(() => {
    journal.givenUp.addSessionOf(recording, reason)
    journal.parts.forgetSession(recording.id)
    journal.recordings.transition(
      recording.id,
      recording.state,
      { kind: 'vanished' },
      { reason, patch: { ...withoutSession, problem: problemOf('file-vanished') } },
    )
  })
}

/** For a request that names no session, "not found" is outside the contract. */
const asContractFailure = (target: Target, failure: Failure): Failure =>
  target.kind === 'recording' && target.recording.sessionId === null && failure.kind === 'not-found'
    ? { kind: 'unreadable-answer', detail: failure.message, requestId: failure.requestId }
    : failure

const loseSession = (journal: Journal, recording: Recording, failure: Failure): void =>
  abandonSession(
    journal,
    recording,
    failure.kind === 'other-organisation'
      ? 'the session belongs to a different organisation than the key'
      : 'the service no longer has the session',
    {
      deleteAtService: false,
      requestId: requestIdOf(failure),
      // If the session is back later, the opener finds it by its content and continues it (§4.5).
      patch: {
        findSessionFirst: true,
        createKeyAtMs: recording.createKeyAtMs,
        createKeyServiceMs: recording.createKeyServiceMs,
      },
    },
  )

/**
 * Applies the decision of the retry policy to the failed target. Does not handle errors of the journal (see
 * `error-reporter.ts`) or `refresh-urls` (see the uploader). Handles `session-lost` if the target is a recording that
 * is uploading or completing. For all other targets, the caller handles `session-lost`.
 */
export const applyDecision = (
  context: DecisionContext,
  target: Target,
  reportedFailure: Failure,
): Decision['kind'] => {
  const { journal, station, clock, random } = context
  const failure = asContractFailure(target, reportedFailure)
  const attempt = attemptsOf(target) + 1
  const origin = originOf(failure)
  const remote = origin === 'control' || origin === 'storage' ? origin : null
  const streak = remote === null ? 0 : station.streak(remote)
  const decision = decide(
    failure,
    { attempt, streak, isSessionLost: isLost(failure, denialsOf(target, station, attempt)) },
    random,
  )
  const details = { detail: wordsOf(failure), requestId: requestIdOf(failure) }
  const wait = (afterMs: number, isShown: boolean): void => {
    const untilMs = clock.wallMs() + afterMs
    switch (target.kind) {
      case 'recording':
      case 'twin-session': {
        if (!mayHold(journal, target.recording)) break
        const newProblem = isShown && decision.kind === 'wait' ? problemFor(decision, failure, untilMs) : null
        // Read the recording again, because a user may have just dismissed or retried the recording.
        const earlier = journal.recordings.byId(target.recording.id)?.problem ?? null
        const problem = newProblem === null ? null : keepDismissal(earlier, newProblem)
        const recording = { ...target.recording, problem: earlier }
        holdRecording(journal, recording, { attempts: attempt, untilMs, problem })
        break
      }
      case 'given-up-session':
        journal.givenUp.waitWithSession(target.session.sessionId, untilMs)
        break
      case 'given-up-creation':
        journal.givenUp.waitWithCreation(target.creation.key, untilMs)
        break
      case 'removal':
        journal.removals.wait(
          target.recording,
          isDenial(failure) ? 'not-processed' : 'no-answer',
          requestIdOf(failure),
          untilMs,
        )
        break
      case 'station':
        break
      // No recording shows this failure, so the station shows it.
      case 'probe':
        if (decision.kind === 'wait') station.raise(remote ?? 'control', decision.code, details)
        break
    }
  }
  switch (decision.kind) {
    case 'wait':
      wait(decision.afterMs, !decision.quiet)
      break
    case 'condition':
      station.raise(decision.condition, decision.code, { ...details, afterMs: decision.afterMs })
      if (decision.waitMs > 0) wait(decision.waitMs, false)
      break
    case 'session-lost':
      if (target.kind !== 'recording') break
      if (target.recording.state === 'uploading' || target.recording.state === 'completing')
        loseSession(journal, target.recording, failure)
      break
    case 'file-changed':
      if (target.kind === 'recording')
        recordFileChange(journal, target.recording, wordsOf(failure) ?? 'it was written to')
      break
    // Perhaps the whole folder is offline, so wait until the watcher has found this out. But if the path has a newer
    // recording, the file is certainly gone.
    case 'file-vanished':
      if (target.kind !== 'recording') break
      if (target.recording.current) wait(VANISHED_FILE_RETRY_DELAY_MS, false)
      else recordFileChange(journal, target.recording, 'it is gone')
      break
    case 'drive-away':
      if (target.kind === 'recording' && mayHold(journal, target.recording))
        holdRecording(journal, target.recording, {
          // Without an attempt, the recording would count as ready, and `run --until-idle` would not end.
          attempts: Math.max(1, target.recording.attempts),
          untilMs: clock.wallMs() + AWAY_DRIVE_RETRY_DELAY_MS,
          problem: null,
        })
      break
    case 'ignore':
      if (target.kind === 'recording' && target.recording.state === 'hashing')
        journal.recordings.transition(
          target.recording.id,
          'hashing',
          { kind: 'hash-abandoned' },
          { reason: 'stopped while hashing', patch: { attempts: target.recording.attempts } },
        )
      break
    case 'refresh-urls':
    case 'end-process':
      break
  }
  return decision.kind
}
