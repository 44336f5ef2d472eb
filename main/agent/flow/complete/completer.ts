import { requestIdOf } from '../../domain/failure.ts'
import { firstLookMs, lookAtMs } from '../../domain/poll-interval.ts'
import {
  CHECKSUM_MISMATCH_RETRIES,
  GUESSED_ETAG_RETRIES,
  KEY_LIFETIME_MS,
} from '../../domain/retry-policy.ts'
import { contentFailure } from '../../domain/session-content.ts'
import { isComplete, stageOf, summaryOf, wasClosedUnaccepted } from '../../domain/session-summary.ts'
import type { Recording, RecordingPatch } from '../../journal/journal.ts'
import type { Answered, RemoteSession, ServiceClient } from '../../ports/service.ts'
import { EventsHeard } from '../../sessions/event-arrival.ts'
import { afterAWhile, replaceClosedSession } from '../../sessions/replace-session.ts'
import { abandonSession, carryOut } from '../../stage/apply-decision.ts'
import { Jobs } from '../../stage/jobs.ts'
import { StageOf } from '../../stage/stage.ts'

const LOOK_MS = 5_000
const AT_ONCE = 8
const GATEWAY_TIMEOUT = 504
const NO_KEY = { completeKey: null, completeKeyAtMs: null } as const

/** Recordings whose parts are all sent become complete sessions (§4.3). */
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
  readonly takes = ['completing'] as const
  readonly #jobs = new Jobs(this.world, 'completing')
  readonly #phase = this.world.random()
  readonly #events = new EventsHeard(this.world)
  /** The service itself said that it did nothing (§7): the same key is sent again, and nobody has to look first. */
  readonly #undone = new Set<number>()

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station, clock } = this.world
    const service = this.world.service()
    if (service === null || !station.mayRequest()) return LOOK_MS
    const { ids } = this.#jobs
    const nowMs = clock.wallMs()
    for (const recording of journal.work.due('completing', nowMs, AT_ONCE - ids.length, ids))
      this.#jobs.begin(recording.id, this.name, () => this.#complete(recording, service, signal))
    return journal.work.nextCheckMs('completing', nowMs, LOOK_MS)
  }

  close(): Promise<void> {
    return this.#jobs.ended()
  }

  async #complete(found: Recording, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, clock } = this.world
    const recording = await this.#intend(found)
    if (recording === null) return
    const { sessionId, completeKey } = recording
    if (sessionId === null || completeKey === null) throw new Error('completing without a session')
    const isUndone = this.#undone.delete(recording.id)
    // An answer was lost, or its gateway lost patience: the service may be through with it by now. Where it seems to
    // miss parts, the answer to the same key (§8) tells, and not a copy that may lag behind.
    const mayBeThrough = recording.attempts > 0 && !isUndone
    if (mayBeThrough && (await this.#stillOpen(recording, sessionId, service, signal)) === null) return
    const parts = journal.parts.of(recording.id)
    const request = { parts: parts.map((part) => ({ number: part.number, etag: part.etag ?? '' })) }
    const answer = await service.completeSession(sessionId, request, completeKey, signal)
    if (answer.ok) {
      const { value, requestId } = answer.value
      if (this.#isMismatch(recording, value, requestId)) return
      return this.#completed(recording, value, requestId, 'the service verified the whole file')
    }
    const { failure } = answer
    if (failure.kind === 'service' && failure.status !== GATEWAY_TIMEOUT) this.#undone.add(recording.id)
    const requestId = requestIdOf(failure)
    const mismatch =
      (failure.kind === 'conflict' || failure.kind === 'rejected') && failure.code === 'checksum_mismatch'
    // This key has its final answer and would only bring it back (§8).
    if (mismatch || failure.kind === 'rejected') journal.recordings.patch(recording.id, NO_KEY)
    const refused = { ...recording, ...NO_KEY }
    // A few times at once; then once with each of the looks that a hold has.
    const mayStartOver = recording.mismatches < CHECKSUM_MISMATCH_RETRIES || recording.problem !== null
    // A guess that does not fit may be refused as malformed or as a mismatch; the content is not to blame.
    if ((mismatch || failure.kind === 'rejected') && parts.some((part) => part.etagGuessed) && mayStartOver)
      return abandonSession(
        journal,
        refused,
        'the ETag of a part that the service already has could not be recovered; starting a new session',
        { deleteAtService: true, requestId, patch: afterAWhile(recording, clock.wallMs()) },
      )
    if (mismatch) return this.#mismatch(refused, requestId)
    // The service may have lost a part that it had acknowledged: what it misses, it tells (§4.4).
    if (failure.kind === 'rejected' && mayStartOver) {
      const again = { mismatches: recording.mismatches + 1 }
      if (await this.#isFurther(refused, sessionId, service, signal, again)) return
    }
    if (failure.kind === 'conflict') {
      // "Completed twice" (§3) usually means that the answer to the first time was lost.
      if (await this.#isFurther(recording, sessionId, service, signal)) return
      // It may also be the guess that is in the way. Whether it is at work after all, nobody knows: it is not deleted.
      if (recording.attempts >= GUESSED_ETAG_RETRIES && parts.some((part) => part.etagGuessed))
        return abandonSession(journal, recording, 'a guessed ETag was not accepted; starting a new session', {
          deleteAtService: false,
          requestId,
        })
    } else if (failure.kind === 'auth' && failure.reason === 'not-permitted') {
      // A key without `write`, or this one session of another organisation (§5.5): reading it tells which.
      const seen = await service.retrieveSession(sessionId, signal)
      if (!seen.ok && seen.failure.kind === 'other-organisation') {
        carryOut(this.world, { kind: 'recording', recording }, seen.failure)
        return
      }
    }
    carryOut(this.world, { kind: 'recording', recording }, failure)
  }

  /** The key is written before the request, and stays the same for its 24 hours (§8) whatever is answered meanwhile. */
  async #intend(recording: Recording): Promise<Recording | null> {
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

  /** Asks what the service makes of it; null when that was the answer, or when nothing more can be asked now. */
  async #stillOpen(
    recording: Recording,
    sessionId: string,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<Answered<RemoteSession> | null> {
    const answer = await service.retrieveSession(sessionId, signal)
    if (!answer.ok) {
      carryOut(this.world, { kind: 'recording', recording }, answer.failure)
      return null
    }
    const { value: session, requestId } = answer.value
    if (this.#isMismatch(recording, session, requestId)) return null
    if (wasClosedUnaccepted(session.status, recording.mismatches)) {
      replaceClosedSession(this.world, recording, requestId)
      return null
    }
    if (isComplete(session.status)) {
      await this.#completed(recording, session, requestId, 'it was complete already')
      return null
    }
    return answer.value
  }

  /** A session of different content is not completed by what it says of itself. */
  #isMismatch(recording: Recording, session: RemoteSession, requestId: string | null): boolean {
    const mismatch = contentFailure(session, recording, requestId)
    if (mismatch !== null) carryOut(this.world, { kind: 'recording', recording }, mismatch)
    return mismatch !== null
  }

  /** After a refusal: true when the service is through with it, or misses parts, or nothing more can be asked now. */
  async #isFurther(
    recording: Recording,
    sessionId: string,
    service: ServiceClient,
    signal: AbortSignal,
    patch: RecordingPatch = {},
  ): Promise<boolean> {
    const open = await this.#stillOpen(recording, sessionId, service, signal)
    if (open === null) return true
    const { value: session, requestId } = open
    if (stageOf(session.status) !== 'uploading' || (session.upload?.parts.length ?? 0) === 0) return false
    this.world.journal.recordings.transition(
      recording.id,
      'completing',
      { kind: 'parts-missing' },
      { reason: 'the service misses parts', requestId, patch: { ...NO_KEY, ...patch } },
    )
    return true
  }

  /** Hash the file again: other content starts over, the same content is sent again; after a few times, hourly. */
  #mismatch(recording: Recording, requestId: string | null): void {
    const { recordings } = this.world.journal
    const waited = recording.problem?.code === 'checksum-mismatch'
    if (recording.mismatches >= CHECKSUM_MISMATCH_RETRIES && !waited) {
      carryOut(this.world, { kind: 'recording', recording }, { kind: 'checksum-mismatch', requestId })
      return
    }
    recordings.transition(
      recording.id,
      'completing',
      { kind: 'rehash-needed' },
      {
        reason: 'the service computed another checksum; reading the file again',
        requestId,
        patch: { mismatches: recording.mismatches + 1 },
      },
    )
  }

  #completed(
    recording: Recording,
    session: RemoteSession,
    requestId: string | null,
    reason: string,
  ): Promise<void> {
    const { journal, clock, settings } = this.world
    const gapMs = firstLookMs(settings()?.follow.poll_seconds ?? 15, this.#events.arrive())
    const nextAttemptAtMs = lookAtMs(clock.wallMs(), gapMs, this.#phase)
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
