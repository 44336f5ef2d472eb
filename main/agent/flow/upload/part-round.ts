import type { Failure } from '../../domain/failure.ts'
import { waitsForever } from '../../domain/problems.ts'
import { MAX_RETRY_DELAY_WITH_OPEN_FILE_MS } from '../../domain/retry-limits.ts'
import type { SessionUrls } from '../../domain/session-urls.ts'
import type { Journal, Part, Recording } from '../../journal/journal.ts'
import type { ServiceClient } from '../../ports/service.ts'
import { applyDecision } from '../../stage/apply-decision.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { PartQueue } from './part-queue.ts'
import type { PartTransfer } from './part-transfer.ts'

export type PartRoundNeeds = 'journal' | 'station' | 'slots' | 'sleep' | 'clock' | 'random'

export const markAllPartsSent = (journal: Journal, { id }: Recording): void => {
  journal.recordings.transition(
    id,
    'uploading',
    { kind: 'parts-sent' },
    { reason: 'every part is at the service' },
  )
}

/** State that the rounds of one upload share. */
export type PartRoundContext = {
  readonly world: Pick<StageWorld, PartRoundNeeds>
  readonly service: ServiceClient
  readonly transfer: PartTransfer
  readonly urls: SessionUrls
  /** Parts that the storage has rejected once. */
  readonly rejectedParts: Set<number>
  /** `isDue`: one part may start as a probe, although the storage is failing. False once that part has started. */
  readonly probe: { isDue: boolean }
  readonly signal: AbortSignal
}

type PartRoundResult = {
  /** The recording, with the attempts that this round has counted. */
  readonly recording: Recording
  readonly hasSentPart: boolean
  /**
   * `over`: the upload ends here. `blocked`: the storage is failing, or no part may start now. `open`: another round
   * may follow.
   */
  readonly end: 'over' | 'blocked' | 'open'
  /** Sluice must read the session again: parts need new URLs, or the storage has rejected a part for the first time. */
  readonly needsResume: boolean
}

/** Sends several parts at a time. Ends when all parts are sent, or when no more parts may start in this round. */
export class PartRound {
  readonly #context: PartRoundContext
  readonly #world: Pick<StageWorld, PartRoundNeeds>
  #recording: Recording
  #hasSentPart = false
  /** The upload is ending: parts in flight finish, and no new part starts. */
  #isOver = false
  /** A part failed because of a station-wide problem. The uploader restarts this upload when that problem is over. */
  #hasStationProblem = false
  #needsResume = false
  #firstError: { readonly error: unknown } | null = null

  constructor(recording: Recording, context: PartRoundContext) {
    this.#recording = recording
    this.#context = context
    this.#world = context.world
  }

  async run(numbers: readonly number[]): Promise<PartRoundResult> {
    await this.#sendAll(numbers)
    if (this.#firstError !== null) throw this.#firstError.error
    return {
      recording: this.#recording,
      hasSentPart: this.#hasSentPart,
      end: this.#isOver ? 'over' : this.#hasStationProblem || !this.#mayStartPart() ? 'blocked' : 'open',
      needsResume: this.#needsResume,
    }
  }

  #mayStartPart(): boolean {
    return this.#world.station.mayStartPart({
      recordingId: this.#recording.id,
      hasUrl: true,
      isProbe: this.#context.probe.isDue,
    })
  }

  async #sendAll(numbers: readonly number[]): Promise<void> {
    const { slots, clock, journal, station, sleep } = this.#world
    const { signal, urls, service, probe } = this.#context
    const parts = new Map(journal.parts.of(this.#recording.id).map((part) => [part.number, part]))
    const queue = new PartQueue(numbers, clock)
    const inFlight = new Set<Promise<void>>()
    while (this.#mayContinue() && !queue.isEmpty(inFlight.size)) {
      const number = queue.next()
      if (number === null) {
        await queue.waitForChange(inFlight, sleep, signal)
        continue
      }
      const slot = await slots.take(this.#recording.prioritised, signal)
      if (slot === null) break
      const part = parts.get(number)
      if (part === undefined || part.url === null || urls.areNearExpiry(service.nowMs()))
        this.#needsResume = true
      if (part === undefined || !this.#mayContinue()) {
        slot.release()
        break
      }
      if (probe.isDue) station.beginProbe('storage')
      probe.isDue = false
      const sending = this.#send(part, slot)
        .then((waitMs) => {
          if (waitMs !== null) queue.retry(number, waitMs)
        })
        .catch((error: unknown) => this.#throwLater(error))
        .finally(() => {
          slot.release()
          inFlight.delete(sending)
        })
      inFlight.add(sending)
    }
    await Promise.all(inFlight)
  }

  #mayContinue(): boolean {
    if (this.#isOver || this.#context.signal.aborted || this.#needsResume) return false
    try {
      return this.#mayStartPart()
    } catch (error) {
      this.#throwLater(error)
      return false
    }
  }

  /** Stores an error of the journal, such as a full disk. `run` throws it after the other parts have ended. */
  #throwLater(error: unknown): void {
    this.#isOver = true
    this.#firstError ??= { error }
  }

  /** Returns the milliseconds until the retry, or null if this round does not retry the part. */
  async #send(part: Part, slot: { readonly slowDown: () => void }): Promise<number | null> {
    const { transfer, urls, rejectedParts } = this.#context
    const outcome = await transfer.send(part)
    if (outcome.ok) {
      await this.#storeEtag(part.number, outcome.value.etag)
      return null
    }
    const { failure } = outcome
    if (failure.kind === 'rate-limited' || (failure.kind === 'service' && failure.status === 503))
      slot.slowDown()
    // A first rejection may mean that the session was deleted or completed, so read the session again.
    const isFirstRejection = failure.kind === 'rejected' && !rejectedParts.has(part.number)
    if (isFirstRejection) rejectedParts.add(part.number)
    if (failure.kind === 'url-expired' || isFirstRejection) {
      urls.markRefused(part.number)
      this.#needsResume = true
      return null
    }
    return this.#handleFailure(failure)
  }

  /** Stores the ETag. The last ETag also ends the upload, in the same transaction. */
  async #storeEtag(number: number, etag: string): Promise<void> {
    const { journal } = this.#world
    const { id, sessionId } = this.#recording
    await journal.commit(() => {
      // If the recording got a new session while the part was in flight, the ETag belongs to the old session.
      const stored = journal.recordings.byId(id)
      if (stored === null || stored.sessionId !== sessionId) return
      journal.parts.markSent(id, number, etag, { guessed: false })
      if (waitsForever(stored)) {
        this.#isOver = true
        return
      }
      // Reset the attempts, unless a different part has put the whole recording on a long wait.
      if (this.#recording.attempts > 0 && !this.#isOver)
        journal.recordings.patch(id, { attempts: 0, nextAttemptAtMs: 0, problem: null })
      const current = journal.recordings.byId(id)
      if (current === null || current.partsSent !== current.partsTotal) return
      this.#isOver = true
      markAllPartsSent(journal, this.#recording)
    })
    this.#recording = { ...this.#recording, attempts: 0 }
    this.#hasSentPart = true
  }

  /** Returns the delay if only this part has to wait and the other parts continue. Otherwise returns null. */
  #handleFailure(failure: Failure): number | null {
    if (this.#context.signal.aborted || this.#isOver) return null
    const { journal, clock } = this.#world
    const decision = applyDecision(this.#world, { kind: 'recording', recording: this.#recording }, failure)
    const current = journal.recordings.byId(this.#recording.id)
    if (decision !== 'wait' || current?.state !== 'uploading') {
      this.#hasStationProblem ||= decision === 'condition'
      this.#isOver = decision !== 'condition' || current?.state !== 'uploading'
      return null
    }
    this.#recording = { ...this.#recording, attempts: current.attempts, heldSinceMs: current.heldSinceMs }
    const waitMs = Math.max(0, current.nextAttemptAtMs - clock.wallMs())
    // A long wait ends the upload, so that the file is closed. A rejection also ends the upload, so that the next
    // attempt first reads the session.
    if (waitMs <= MAX_RETRY_DELAY_WITH_OPEN_FILE_MS && failure.kind !== 'rejected') return waitMs
    this.#isOver = true
    return null
  }
}
