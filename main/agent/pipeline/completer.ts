import { requestIdOf } from '../domain/failure.ts'
import { problemOf } from '../domain/problems.ts'
import { stageOf, summaryOf } from '../domain/session-summary.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Clock, Random, RemoteSession, ServiceClient, StationGate } from '../ports.ts'
import { abandonSession, respond } from '../running/failure-response.ts'

const LOOK_MS = 5_000
const AT_ONCE = 4
const MOST_MISMATCHES = 3

type Dependencies = {
  readonly journal: Journal
  readonly service: () => ServiceClient | null
  readonly gate: StationGate
  readonly clock: Clock
  readonly random: Random
  readonly newKey: () => string
}

/** Recordings whose parts are all sent become complete sessions (§4.3). */
export class Completer {
  readonly name = 'completer'
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  async step(signal: AbortSignal): Promise<number> {
    const { journal, gate } = this.#deps
    const service = this.#deps.service()
    if (service === null || !gate.isOpen()) return LOOK_MS
    const due = journal.work.due(['completing'], AT_ONCE)
    if (due.length === 0) return journal.work.lookAgainMs(['completing'], LOOK_MS)
    await Promise.all(due.map((recording) => this.#complete(recording, service, signal)))
    return 0
  }

  async #complete(recording: Recording, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, newKey } = this.#deps
    const { sessionId } = recording
    if (sessionId === null) throw new Error('completing without a session')
    const parts = journal.parts.of(recording.id)
    const key = recording.completeKey ?? newKey()
    if (recording.completeKey === null) journal.recordings.patch(recording.id, { completeKey: key })
    const request = { parts: parts.map((part) => ({ number: part.number, etag: part.etag ?? '' })) }
    const answer = await service.completeSession(sessionId, request, key, signal)
    if (answer.ok) {
      this.#completed(
        recording,
        answer.value.value,
        answer.value.requestId,
        'the service verified the whole file',
      )
      return
    }
    const { failure } = answer
    const requestId = requestIdOf(failure)
    const final = failure.kind === 'conflict' || failure.kind === 'rejected'
    // A key that met a final answer would only bring the same answer back.
    if (final) journal.recordings.patch(recording.id, { completeKey: null })
    const mismatch = final && failure.code === 'checksum_mismatch'
    // A guess that does not fit may be refused as malformed or as a mismatch; the content is not to blame.
    if ((mismatch || failure.kind === 'rejected') && parts.some((part) => part.etagGuessed)) {
      abandonSession(
        journal,
        recording,
        'an ETag lost in a crash could not be recovered; starting a new session',
        {
          deleteAtService: true,
          requestId,
        },
      )
      return
    }
    if (mismatch) return this.#mismatch(recording, requestId)
    if (failure.kind === 'conflict') return this.#afterConflict(recording, sessionId, service, signal)
    if (failure.kind === 'auth' && failure.reason === 'not-permitted') {
      // A key without `write`, or this one session of another organisation (§5.5): reading it tells which.
      const seen = await service.retrieveSession(sessionId, signal)
      const elsewhere = !seen.ok && seen.failure.kind === 'other-organisation'
      respond(this.#deps, recording, elsewhere ? seen.failure : failure)
      return
    }
    respond(this.#deps, recording, failure)
  }

  /** "Completed twice" (§3) usually means that the answer to the first time was lost. */
  async #afterConflict(recording: Recording, sessionId: string, service: ServiceClient, signal: AbortSignal) {
    const answer = await service.retrieveSession(sessionId, signal)
    if (!answer.ok) {
      respond(this.#deps, recording, answer.failure)
      return
    }
    const { value: session, requestId } = answer.value
    if (stageOf(session.status) !== 'uploading') {
      this.#completed(recording, session, requestId, 'it was complete already')
      return
    }
    if ((session.upload?.parts.length ?? 0) > 0) {
      this.#deps.journal.recordings.transition(
        recording.id,
        'completing',
        { kind: 'parts-missing' },
        { reason: 'the service misses parts', requestId },
      )
      return
    }
    respond(this.#deps, recording, {
      kind: 'conflict',
      code: 'conflict',
      message: 'the service refuses to complete the session',
      requestId,
    })
  }

  /** Hash the file again: other content starts over, the same content is sent again; not for ever. */
  #mismatch(recording: Recording, requestId: string | null): void {
    const { recordings } = this.#deps.journal
    const mismatches = recording.mismatches + 1
    if (mismatches > MOST_MISMATCHES) {
      const problem = problemOf('checksum-mismatch', { requestId })
      recordings.transition(
        recording.id,
        'completing',
        { kind: 'blocked' },
        { reason: problem.sentence, requestId, patch: { problem, mismatches: 0 } },
      )
      return
    }
    recordings.transition(
      recording.id,
      'completing',
      { kind: 'rehash-needed' },
      {
        reason: 'the service computed another checksum; reading the file again',
        requestId,
        patch: { mismatches },
      },
    )
  }

  #completed(recording: Recording, session: RemoteSession, requestId: string | null, reason: string): void {
    const { journal } = this.#deps
    journal.transaction(() => {
      journal.parts.forgetUrls(recording.id)
      journal.recordings.transition(
        recording.id,
        'completing',
        { kind: 'completed' },
        { reason, requestId, patch: { session: summaryOf(session) } },
      )
    })
  }
}
