import { requestIdOf } from '../../domain/failure.ts'
import { firstPollMs, pollAtMs } from '../../domain/poll-interval.ts'
import {
  CHECKSUM_MISMATCH_RETRIES,
  GUESSED_ETAG_RETRIES,
  KEY_LIFETIME_MS,
} from '../../domain/retry-limits.ts'
import { contentFailure } from '../../domain/session-content.ts'
import { isComplete, stageOf, summaryOf, wasClosedWithoutContent } from '../../domain/session-summary.ts'
import type { Recording, RecordingPatch } from '../../journal/journal.ts'
import type { Answered, RemoteSession, ServiceClient } from '../../ports/service.ts'
import { EventArrival } from '../../sessions/event-arrival.ts'
import { mismatchBackoff, replaceClosedSession } from '../../sessions/replace-session.ts'
import { abandonSession, applyDecision } from '../../stage/apply-decision.ts'
import { Jobs } from '../../stage/jobs.ts'
import { StageOf } from '../../stage/stage.ts'

/**
 * Hard case: Killed between the storage’s answer and the journal.
 * To get the ETag, the uploader sends the part again to its journaled URL. If that URL has expired, Sluice guesses the
 * ETag (the quoted MD5). If the service refuses the guess, Sluice starts a new session.
 */

/**
 * Hard case: A completion is repeated or takes longer than its gateway waits.
 * The completer repeats the request with the same key while the key is valid (§8). It first retrieves the session,
 * which may be complete by now. After a 5xx answer other than 504, it skips this step. Sluice sends missing parts only
 * after the service refuses the completion: a lagging replica may list parts as missing by mistake.
 */

const CHECK_INTERVAL_MS = 5_000
const MAX_CONCURRENT = 8
const GATEWAY_TIMEOUT = 504
const NO_KEY = { completeKey: null, completeKeyAtMs: null } as const

/** Completes the sessions of recordings whose parts are all sent (§4.3). */
export class Completer extends StageOf<
  | 'journal'
  | 'service'
  | 'station'
  | 'clock'
  | 'random'
  | 'newKey'
  | 'guard'
  | 'wake'
  | 'settings'
  | 'webhooks'
> {
  readonly name = 'completer'
  readonly states = ['completing'] as const
  readonly #jobs = new Jobs(this.world, 'completing')
  readonly #phase = this.world.random()
  readonly #events = new EventArrival(this.world)
  /**
   * Recordings whose last completion failed with 5xx, except 504. The completer repeats their request without reading
   * the session first, which is safe with the same key (§7).
   */
  readonly #repeatableIds = new Set<number>()

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station, clock } = this.world
    const service = this.world.service()
    if (service === null || !station.mayRequest()) return CHECK_INTERVAL_MS
    const { ids } = this.#jobs
    const nowMs = clock.wallMs()
    for (const recording of journal.work.due('completing', nowMs, MAX_CONCURRENT - ids.length, ids))
      this.#jobs.begin(recording.id, this.name, () => this.#complete(recording, service, signal))
    return journal.work.nextCheckMs('completing', nowMs, CHECK_INTERVAL_MS)
  }

  close(): Promise<void> {
    return this.#jobs.ended()
  }

  async #complete(dueRecording: Recording, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, clock } = this.world
    const recording = await this.#ensureKey(dueRecording)
    if (recording === null) return
    const { sessionId, completeKey } = recording
    if (sessionId === null || completeKey === null) throw new Error('completing without a session')
    const isRepeatable = this.#repeatableIds.delete(recording.id)
    // The session may be complete by now: an answer may have been lost, or a gateway may have timed out. If the session
    // is open, ignore its list of missing parts: a stale replica may be wrong. Only the answer to the same key (§8) is
    // reliable.
    const mayBeComplete = recording.attempts > 0 && !isRepeatable
    if (mayBeComplete && (await this.#retrieveOpenSession(recording, sessionId, service, signal)) === null)
      return
    const parts = journal.parts.of(recording.id)
    const request = { parts: parts.map((part) => ({ number: part.number, etag: part.etag ?? '' })) }
    const answer = await service.completeSession(sessionId, request, completeKey, signal)
    if (answer.ok) {
      const { value, requestId } = answer.value
      if (this.#handleMismatch(recording, value, requestId)) return
      return this.#markComplete(recording, value, requestId, 'the service verified the whole file')
    }
    const { failure } = answer
    if (failure.kind === 'service' && failure.status !== GATEWAY_TIMEOUT)
      this.#repeatableIds.add(recording.id)
    const requestId = requestIdOf(failure)
    const isMismatch =
      (failure.kind === 'conflict' || failure.kind === 'rejected') && failure.code === 'checksum_mismatch'
    // The service would only repeat its final answer to this key (§8), so drop the key.
    if (isMismatch || failure.kind === 'rejected') journal.recordings.patch(recording.id, NO_KEY)
    const withoutKey = { ...recording, ...NO_KEY }
    // Start over after each of the first few mismatches. Later, start over only if the recording already has a problem.
    const mayStartOver = recording.mismatches < CHECKSUM_MISMATCH_RETRIES || recording.problem !== null
    // The service may refuse a wrong guess of an ETag as malformed or as a mismatch, although the content is right.
    if ((isMismatch || failure.kind === 'rejected') && parts.some((part) => part.etagGuessed) && mayStartOver)
      return abandonSession(
        journal,
        withoutKey,
        'the ETag of a part that the service already has could not be recovered; starting a new session',
        { deleteAtService: true, requestId, patch: mismatchBackoff(recording, clock.wallMs()) },
      )
    if (isMismatch) return this.#rehash(withoutKey, requestId)
    // The service may have lost a part. The session lists the missing parts (§4.4).
    if (failure.kind === 'rejected' && mayStartOver) {
      const patch = { mismatches: recording.mismatches + 1 }
      if (await this.#handleChangedSession(withoutKey, sessionId, service, signal, patch)) return
    }
    if (failure.kind === 'conflict') {
      // "Completed twice" (§3) usually means that the first answer was lost.
      if (await this.#handleChangedSession(recording, sessionId, service, signal)) return
      // A wrong guess of an ETag also causes this conflict. Do not delete the session, because the service may be
      // processing it.
      if (recording.attempts >= GUESSED_ETAG_RETRIES && parts.some((part) => part.etagGuessed))
        return abandonSession(
          journal,
          recording,
          'the service did not accept a guessed ETag; starting a new session',
          {
            deleteAtService: false,
            requestId,
            patch: { mismatches: recording.mismatches + 1 },
          },
        )
    } else if (failure.kind === 'auth' && failure.reason === 'not-permitted') {
      // The key lacks `write`, or the session belongs to a different organisation (§5.5). Retrieve the session to find
      // out.
      const retrieved = await service.retrieveSession(sessionId, signal)
      if (!retrieved.ok && retrieved.failure.kind === 'other-organisation') {
        applyDecision(this.world, { kind: 'recording', recording }, retrieved.failure)
        return
      }
    }
    applyDecision(this.world, { kind: 'recording', recording }, failure)
  }

  /**
   * Returns the recording with a valid completion key. Stores a new key before the first request that uses it (§8).
   * Returns null if the recording is no longer `completing`.
   */
  async #ensureKey(recording: Recording): Promise<Recording | null> {
    const { journal, newKey, clock } = this.world
    const ageMs = clock.wallMs() - (recording.completeKeyAtMs ?? 0)
    if (recording.completeKey !== null && ageMs >= 0 && ageMs < KEY_LIFETIME_MS) return recording
    const intent = { completeKey: newKey(), completeKeyAtMs: clock.wallMs() }
    return journal.commit(() => {
      if (journal.recordings.byId(recording.id)?.state !== 'completing') return null
      journal.recordings.patch(recording.id, intent)
      return { ...recording, ...intent }
    })
  }

  /** Returns the session if it is open and has the right content. Otherwise handles what it found, and returns null. */
  async #retrieveOpenSession(
    recording: Recording,
    sessionId: string,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<Answered<RemoteSession> | null> {
    const answer = await service.retrieveSession(sessionId, signal)
    if (!answer.ok) {
      applyDecision(this.world, { kind: 'recording', recording }, answer.failure)
      return null
    }
    const { value: session, requestId } = answer.value
    if (this.#handleMismatch(recording, session, requestId)) return null
    if (wasClosedWithoutContent(session.status, recording.mismatches)) {
      replaceClosedSession(this.world, recording, requestId)
      return null
    }
    if (isComplete(session.status)) {
      await this.#markComplete(recording, session, requestId, 'the session was already complete')
      return null
    }
    return answer.value
  }

  /**
   * If the session has different content, handles this as a failure and returns true, even if its status is
   * `processed`.
   */
  #handleMismatch(recording: Recording, session: RemoteSession, requestId: string | null): boolean {
    const mismatch = contentFailure(session, recording, requestId)
    if (mismatch !== null) applyDecision(this.world, { kind: 'recording', recording }, mismatch)
    return mismatch !== null
  }

  /**
   * Retrieves the session after a refusal. Handles a session that is complete or closed, cannot be read, has different
   * content, or lacks parts. Returns false for any other session.
   */
  async #handleChangedSession(
    recording: Recording,
    sessionId: string,
    service: ServiceClient,
    signal: AbortSignal,
    patch: RecordingPatch = {},
  ): Promise<boolean> {
    const openSession = await this.#retrieveOpenSession(recording, sessionId, service, signal)
    if (openSession === null) return true
    const { value: session, requestId } = openSession
    if (stageOf(session.status) !== 'uploading' || (session.upload?.parts.length ?? 0) === 0) return false
    this.world.journal.recordings.transition(
      recording.id,
      'completing',
      { kind: 'parts-missing' },
      { reason: 'parts are missing at the service', requestId, patch: { ...NO_KEY, ...patch } },
    )
    return true
  }

  /**
   * Lets the hasher read the file again. If the content changed, the upload starts over. Otherwise Sluice sends all
   * parts again. After a few mismatches, it retries only once an hour.
   */
  #rehash(recording: Recording, requestId: string | null): void {
    const { recordings } = this.world.journal
    const wasOnHold = recording.problem?.code === 'checksum-mismatch'
    if (recording.mismatches >= CHECKSUM_MISMATCH_RETRIES && !wasOnHold) {
      applyDecision(this.world, { kind: 'recording', recording }, { kind: 'checksum-mismatch', requestId })
      return
    }
    recordings.transition(
      recording.id,
      'completing',
      { kind: 'rehash-needed' },
      {
        reason: 'the service computed a different checksum; reading the file again',
        requestId,
        patch: { mismatches: recording.mismatches + 1 },
      },
    )
  }

  #markComplete(
    recording: Recording,
    session: RemoteSession,
    requestId: string | null,
    reason: string,
  ): Promise<void> {
    const { journal, clock, settings } = this.world
    const delayMs = firstPollMs(settings()?.follow.poll_seconds ?? 15, this.#events.areArriving())
    const nextAttemptAtMs = pollAtMs(clock.wallMs(), delayMs, this.#phase)
    return journal.commit(() => {
      journal.parts.forgetUrls(recording.id)
      journal.recordings.transition(
        recording.id,
        'completing',
        { kind: 'completed' },
        { reason, requestId, patch: { session: summaryOf(session), nextAttemptAtMs } },
      )
    })
  }
}
