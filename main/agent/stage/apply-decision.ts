import type { Problem } from '../../../shared/status/status.ts'
import { type Failure, originOf, paramOf, requestIdOf, wordsOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import {
  type Decision,
  type Denied,
  decide,
  isLost,
  VANISHED_FILE_RETRY_DELAY_MS,
} from '../domain/retry-policy.ts'
import type {
  GivenUpSession,
  Journal,
  Recording,
  RecordingPatch,
  UnsettledCreation,
} from '../journal/journal.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'

export type Hand = {
  readonly journal: Journal
  readonly station: StationConditions
  readonly clock: Clock
  readonly random: Random
}

/** What a failure happened to. */
export type Target =
  | { readonly kind: 'recording'; readonly recording: Recording }
  | { readonly kind: 'given-up-session'; readonly session: GivenUpSession }
  | { readonly kind: 'given-up-creation'; readonly creation: UnsettledCreation }
  /** Asked about once more before its file leaves this PC. Its own hold is beside it, in the journal's removals. */
  | { readonly kind: 'leaving'; readonly recording: Recording; readonly attempts: number }
  /** A question about many at once: they have their own patience. */
  | { readonly kind: 'station' }
  /** The station's own question, while nothing else may be asked. */
  | { readonly kind: 'probe' }

/** What a recording forgets along with its session. */
export const withoutSession = {
  sessionId: null,
  service: null,
  createKey: null,
  createKeyAtMs: null,
  createBody: null,
  completeKey: null,
  completeKeyAtMs: null,
  urlsExpireAtMs: null,
} as const

/** The session is given up and the content goes into a new one. Nothing local is lost. */
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
    if (options.deleteAtService) journal.givenUp.ofRecording(recording, reason)
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
      return target.recording.attempts
    case 'given-up-session':
      return target.session.attempts
    case 'given-up-creation':
      return target.creation.attempts
    case 'leaving':
      return target.attempts
    case 'station':
    case 'probe':
      return 0
  }
}

const isDenial = ({ kind }: Failure): boolean => kind === 'not-found' || kind === 'other-organisation'

/** How what the failure is about was denied; a request about no session counts its own tries. */
const deniedOf = (target: Target, station: StationConditions, attempt: number): Denied => {
  const ownTries = { times: attempt, forMs: Number.POSITIVE_INFINITY, stage: 'uploading' } as const
  switch (target.kind) {
    case 'recording': {
      const { sessionId, state } = target.recording
      const stage = state === 'processing' ? 'complete' : state === 'completing' ? state : 'uploading'
      return sessionId === null ? ownTries : { ...station.denied(sessionId), stage }
    }
    case 'given-up-session':
      return { ...station.denied(target.session.sessionId), stage: 'uploading' }
    case 'leaving':
      return { ...station.denied(target.recording.sessionId ?? ''), stage: 'complete' }
    case 'given-up-creation':
    case 'station':
    case 'probe':
      return ownTries
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

/** A user who dismissed a problem of the file is not asked again as long as the file stays the same. */
const stillDismissed = (known: Problem | null, found: Problem): Problem =>
  known?.endsBy === 'dismissed' && known.code === found.code ? { ...found, endsBy: 'dismissed' } : found

/** A hash cannot be continued: what waits while hashing waits in the queue. */
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
      silent: recording.attempts > 0,
      patch: { attempts, nextAttemptAtMs: untilMs, ...(problem === null ? {} : { problem }) },
    },
  )
}

/** The file is another one now. Where the path has a newer recording, the bytes of this one are nowhere any more. */
const changed = (journal: Journal, recording: Recording, detail: string): void => {
  const note = { reason: `the file changed: ${detail}` }
  if (recording.current) {
    journal.recordings.transition(recording.id, recording.state, { kind: 'changed' }, note)
    return
  }
  const reason = 'the file was replaced before all of it was uploaded'
  journal.transaction(() => {
    journal.givenUp.ofRecording(recording, reason)
    journal.parts.forgetSession(recording.id)
    journal.recordings.transition(
      recording.id,
      recording.state,
      { kind: 'vanished' },
      { reason, patch: { ...withoutSession, problem: problemOf('file-vanished') } },
    )
  })
}

/** To a request about no session "not found" is no answer: what answers there does not know the contract. */
const understood = (target: Target, failure: Failure): Failure =>
  target.kind === 'recording' && target.recording.sessionId === null && failure.kind === 'not-found'
    ? { kind: 'unreadable-answer', detail: failure.message, requestId: failure.requestId }
    : failure

const loseSession = (journal: Journal, recording: Recording, failure: Failure): void =>
  abandonSession(
    journal,
    recording,
    failure.kind === 'other-organisation'
      ? 'the session belongs to another organisation than the key'
      : 'the service no longer has the session',
    {
      deleteAtService: false,
      requestId: requestIdOf(failure),
      // Where it is there again by then, it is found by its content and continued (§4.5).
      patch: { lookFirst: true, createKeyAtMs: recording.createKeyAtMs },
    },
  )

/**
 * Carries out the retry policy, for whatever it happened to: the only function that does. `refresh-urls` is left to
 * the upload, which has the session, and `session-lost` to those who keep no session or have it complete already.
 */
export const carryOut = (hand: Hand, target: Target, met: Failure): Decision['kind'] => {
  const { journal, station, clock, random } = hand
  const failure = understood(target, met)
  const attempt = attemptsOf(target) + 1
  const origin = originOf(failure)
  const remote = origin === 'control' || origin === 'storage' ? origin : null
  const streak = remote === null ? 0 : station.streak(remote)
  const decision = decide(
    failure,
    { attempt, streak, lost: isLost(failure, deniedOf(target, station, attempt)) },
    random,
  )
  const said = { detail: wordsOf(failure), requestId: requestIdOf(failure) }
  const wait = (afterMs: number, told: boolean): void => {
    const untilMs = clock.wallMs() + afterMs
    switch (target.kind) {
      case 'recording': {
        const found = told && decision.kind === 'wait' ? problemFor(decision, failure, untilMs) : null
        const problem = found === null ? null : stillDismissed(target.recording.problem, found)
        holdRecording(journal, target.recording, { attempts: attempt, untilMs, problem })
        break
      }
      case 'given-up-session':
        journal.givenUp.waitWithSession(target.session.sessionId, untilMs)
        break
      case 'given-up-creation':
        journal.givenUp.waitWithCreation(target.creation.key, untilMs)
        break
      case 'leaving':
        journal.removals.wait(
          target.recording,
          isDenial(failure) ? 'not-processed' : 'no-answer',
          requestIdOf(failure),
          untilMs,
        )
        break
      case 'station':
        break
      // Nobody else finds out: it is the station's condition, however small it would be for a recording.
      case 'probe':
        if (decision.kind === 'wait') station.raise(remote ?? 'control', decision.code, said)
        break
    }
  }
  switch (decision.kind) {
    case 'wait':
      wait(decision.afterMs, !decision.quiet)
      break
    case 'condition':
      station.raise(decision.condition, decision.code, { ...said, afterMs: decision.afterMs })
      if (decision.waitMs > 0) wait(decision.waitMs, false)
      break
    case 'session-lost':
      if (target.kind !== 'recording') break
      if (target.recording.state === 'uploading' || target.recording.state === 'completing')
        loseSession(journal, target.recording, failure)
      break
    case 'file-changed':
      if (target.kind === 'recording')
        changed(journal, target.recording, wordsOf(failure) ?? 'it was written to')
      break
    // The watcher tells a vanished file from a folder that is offline.
    case 'file-vanished':
      if (target.kind !== 'recording') break
      if (target.recording.current) wait(VANISHED_FILE_RETRY_DELAY_MS, false)
      else changed(journal, target.recording, 'it is gone')
      break
    case 'drop':
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
