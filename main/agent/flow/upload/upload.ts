import { type Failure, failed, type Outcome, urlsRefused } from '../../domain/failure.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { partRange, whyImpossible } from '../../domain/part-plan.ts'
import { planResume } from '../../domain/resume-plan.ts'
import { LONGEST_OPEN_FILE_RETRY_DELAY_MS, URL_REFRESH_RETRIES } from '../../domain/retry-policy.ts'
import { contentFailure } from '../../domain/session-content.ts'
import { isComplete, summaryOf, wasClosedUnaccepted } from '../../domain/session-summary.ts'
import type { Part, Recording } from '../../journal/journal.ts'
import { FileUnreadableError, type OpenRecording } from '../../ports/files.ts'
import type { RemoteUpload, ServiceClient } from '../../ports/service.ts'
import { replaceClosedSession } from '../../sessions/replace-session.ts'
import { abandonSession, carryOut } from '../../stage/apply-decision.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { PartQueue } from './part-queue.ts'

/** Before this little is left of a URL's life, fresh ones are fetched: a slow part must not outlive its URL. */
const URL_MARGIN_MS = 60_000
const URL_MARGIN_SHARE = 0.1

export type UploadNeeds =
  | 'journal'
  | 'files'
  | 'hashing'
  | 'station'
  | 'slots'
  | 'pace'
  | 'sleep'
  | 'progress'
  | 'clock'
  | 'random'
  | 'fresh'

/** Some storages say no more than that the request is wrong. */
const isAboutContent = (failure: Failure): boolean =>
  failure.kind === 'part-corrupt' || (failure.kind === 'rejected' && [400, 422].includes(failure.status))

/** One recording's upload, from the present state of the journal and the service until nothing is left to do. */
export class Upload {
  readonly #world: Pick<StageWorld, UploadNeeds>
  readonly #service: ServiceClient
  readonly #signal: AbortSignal
  /** The storage's probe: one part although the storage is in trouble. */
  #isProbe: boolean
  readonly #refusedUrls = new Set<number>()
  readonly #rejected = new Set<number>()
  /** Of parts that have arrived: 2 MB each, which would otherwise wait for the collector. */
  readonly #spareBuffers: Buffer[][] = []
  #recording: Recording
  #refreshes = 0
  #lifetimeMs = 0
  /** The storage's answer alone then decides which URLs are good. */
  #dateIsWrong = false
  /** Set once something is wrong with the whole recording: parts in flight finish, no new one starts. */
  #over = false
  /** Set once a part met what is the station's trouble: it is left to the next claim, whenever that may be. */
  #troubled = false
  #refreshWanted = false
  #thrown: { readonly error: unknown } | null = null

  constructor(
    recording: Recording,
    service: ServiceClient,
    world: Pick<StageWorld, UploadNeeds>,
    options: { readonly signal: AbortSignal; readonly isProbe: boolean },
  ) {
    this.#recording = recording
    this.#service = service
    this.#world = world
    this.#signal = options.signal
    this.#isProbe = options.isProbe
  }

  async run(): Promise<void> {
    const opened = await this.#world.files.open(this.#recording.path)
    if (!opened.ok) {
      this.#fail(opened.failure)
      return
    }
    const file = opened.value
    try {
      const identity = await this.#identify(file)
      if (!identity.ok) this.#fail(identity.failure)
      else if (sameFile(identity.value, this.#recording.identity)) await this.#sendUntilDone(file)
      else this.#fail({ kind: 'file-changed', detail: 'before it was uploaded' })
    } finally {
      await file.close()
    }
  }

  async #sendUntilDone(file: OpenRecording): Promise<void> {
    const { fresh, station } = this.#world
    let known = fresh.delete(this.#recording.sessionId ?? '') && !this.#nearExpiry()
    while (!this.#over && !this.#signal.aborted) {
      // What is missing can only be asked while the control API may be asked at all.
      if (!known && !station.mayRequest()) return
      const numbers = known ? this.#unsent() : await this.#resume()
      if (numbers === null) return
      if (numbers.length === 0) return this.#allSent()
      await this.#sendAll(file, numbers)
      if (this.#thrown !== null) throw this.#thrown.error
      known = !this.#refreshWanted
      this.#refreshWanted = false
      // The storage is in trouble: what the service misses is known, and need not be asked when it is over. Whatever the
      // trouble is called, nothing is sent again in the same breath.
      if (!this.#over && (this.#troubled || !this.#mayStartPart())) {
        if (known && station.mayRequest()) fresh.add(this.#recording.sessionId ?? '')
        return
      }
    }
  }

  async #identify(file: OpenRecording): Promise<Outcome<FileIdentity>> {
    try {
      return { ok: true, value: await file.identify() }
    } catch (error) {
      if (error instanceof FileUnreadableError) return failed(error.failure)
      throw error
    }
  }

  #mayStartPart(): boolean {
    return this.#world.station.mayStartPart({ hasUrl: true, isProbe: this.#isProbe })
  }

  #unsent(): number[] {
    return this.#parts()
      .filter((part) => part.etag === null)
      .map((part) => part.number)
  }

  #parts(): Part[] {
    return this.#world.journal.parts.of(this.#recording.id)
  }

  /** Asks the service what it has; returns the parts to send, or null when the recording has moved on. */
  async #resume(): Promise<number[] | null> {
    const { journal } = this.#world
    const { sessionId } = this.#recording
    if (sessionId === null) throw new Error('uploading without a session')
    if (this.#refreshes++ > URL_REFRESH_RETRIES) return this.#fail(urlsRefused)
    const answer = await this.#service.retrieveSession(sessionId, this.#signal)
    if (!answer.ok) return this.#fail(answer.failure)
    const { value: session, requestId } = answer.value
    const mismatch = contentFailure(session, this.#recording, requestId)
    if (mismatch !== null) return this.#fail(mismatch)
    if (wasClosedUnaccepted(session.status, this.#recording.mismatches)) {
      replaceClosedSession(this.#world, this.#recording, requestId)
      return null
    }
    if (isComplete(session.status)) {
      journal.transaction(() => {
        journal.parts.forgetUrls(this.#recording.id)
        journal.recordings.transition(
          this.#recording.id,
          'uploading',
          { kind: 'completed' },
          {
            reason: 'the service has it complete already',
            requestId,
            patch: { session: summaryOf(session) },
          },
        )
      })
      return null
    }
    if (session.upload !== null && !this.#isCutAlike(session.upload, requestId)) return null
    // Nothing is missing any more, or the state leaves it open: completing it tells.
    const missing = session.upload?.parts ?? []
    const expiresAtMs = session.upload?.expiresAtMs ?? this.#recording.urlsExpireAtMs
    const now = this.#service.nowMs()
    // Nobody hands out URLs that have expired: it is the date that is wrong, the service's or a proxy's.
    this.#dateIsWrong = session.upload !== null && session.upload.expiresAtMs <= now
    const oldUrlsLive = this.#dateIsWrong || (this.#recording.urlsExpireAtMs ?? 0) > now
    const plan = planResume(
      this.#parts().map((part) => ({
        number: part.number,
        hasUrl: part.url !== null,
        hasEtag: part.etag !== null,
        resend: part.resend,
      })),
      new Set(missing.map((part) => part.number)),
      (number) => oldUrlsLive && !this.#refusedUrls.has(number),
    )
    if (plan.kind === 'abandon') {
      abandonSession(journal, this.#recording, 'parts must be sent again but their URLs have expired', {
        deleteAtService: true,
        requestId,
      })
      return null
    }
    journal.transaction(() => {
      journal.parts.forgetEtags(this.#recording.id, plan.forgetEtags)
      journal.parts.setUrls(this.#recording.id, missing)
      journal.recordings.patch(this.#recording.id, { urlsExpireAtMs: expiresAtMs })
    })
    this.#recording = { ...this.#recording, urlsExpireAtMs: expiresAtMs }
    for (const part of missing) this.#refusedUrls.delete(part.number)
    for (const number of plan.guessEtags) if (!(await this.#guessEtag(number))) return null
    return [...plan.send]
  }

  /** The service's word on the part size is final (§2.3), as long as it keeps to its own limits (§8). */
  #isCutAlike({ partSize }: RemoteUpload, requestId: string | null): boolean {
    const { journal } = this.#world
    if (partSize === this.#recording.partSize) return true
    const impossible = whyImpossible(this.#recording.identity.sizeBytes, partSize)
    if (impossible !== null) {
      this.#fail({ kind: 'parts-impossible', detail: impossible, requestId })
      return false
    }
    journal.recordings.transition(
      this.#recording.id,
      'uploading',
      { kind: 'rehash-needed' },
      { reason: `the service wants parts of ${partSize} bytes`, requestId, patch: { partSize } },
    )
    return false
  }

  /** The storage's convention for an ETag that a crash swallowed; completion tells whether it was right. */
  async #guessEtag(number: number): Promise<boolean> {
    const md5 = await this.#world.hashing.digest('md5', this.#recording.path, this.#range(number))
    if (!md5.ok) {
      this.#fail(md5.failure)
      return false
    }
    if (!this.#isOwnSession()) return false
    this.#world.journal.parts.sent(this.#recording.id, number, `"${md5.value}"`, { guessed: true })
    return true
  }

  /** The recording may have moved on while a part was under way: its ETag belongs to the old session. */
  #isOwnSession(): boolean {
    const { sessionId } = this.#recording
    return this.#world.journal.recordings.byId(this.#recording.id)?.sessionId === sessionId
  }

  async #sendAll(file: OpenRecording, numbers: readonly number[]): Promise<void> {
    const { slots, clock } = this.#world
    const parts = new Map(this.#parts().map((part) => [part.number, part]))
    const queue = new PartQueue(numbers, clock)
    const inFlight = new Set<Promise<void>>()
    // Whatever is thrown here (a full or failing disk under the journal) is kept until the others are in.
    const keep = (error: unknown): void => {
      this.#over = true
      this.#thrown ??= { error }
    }
    const goesOn = () => {
      if (this.#over || this.#signal.aborted || this.#refreshWanted) return false
      try {
        return this.#mayStartPart()
      } catch (error) {
        keep(error)
        return false
      }
    }
    while (goesOn() && !queue.isEmpty(inFlight.size)) {
      const number = queue.next()
      if (number === null) {
        await queue.change(inFlight, this.#world.sleep, this.#signal)
        continue
      }
      const slot = await slots.take(this.#recording.urgent, this.#signal)
      if (slot === null) break
      const part = parts.get(number)
      if (part === undefined || part.url === null || this.#nearExpiry()) this.#refreshWanted = true
      if (part === undefined || !goesOn()) {
        slot.giveBack()
        break
      }
      if (this.#isProbe) this.#world.station.probing('storage')
      this.#isProbe = false
      const sending = this.#send(file, part, slot)
        .then((waitMs) => {
          if (waitMs !== null) queue.again(number, waitMs)
        })
        .catch(keep)
        .finally(() => {
          slot.giveBack()
          inFlight.delete(sending)
        })
      inFlight.add(sending)
    }
    await Promise.all(inFlight)
  }

  /** Null when the part is through with, for now or for good; else in how many milliseconds it is sent again. */
  async #send(
    file: OpenRecording,
    part: Part,
    slot: { readonly slowDown: () => void },
  ): Promise<number | null> {
    const { progress, pace } = this.#world
    const { start, length } = this.#range(part.number)
    let seen = 0
    const buffers = this.#spareBuffers.pop() ?? []
    const outcome = await this.#service.sendPart({
      url: part.url ?? '',
      sizeBytes: length,
      sha256Base64: Buffer.from(part.sha256, 'hex').toString('base64'),
      body: () =>
        file.read({
          start,
          length,
          identity: this.#recording.identity,
          pace: (bytes) => pace(bytes, this.#signal),
          buffers,
        }),
      onProgress: (more) => {
        seen += more
        progress.sending(this.#recording.id, part.number, seen)
      },
      signal: this.#signal,
    })
    progress.partDone(this.#recording.id, part.number)
    if (outcome.ok) {
      // Only now: after a failure a socket may still hold a chunk.
      this.#spareBuffers.push(buffers)
      await this.#sent(part.number, outcome.value.etag)
      return null
    }
    const failure = await this.#seenThrough(part, outcome.failure)
    if (failure.kind === 'rate-limited' || (failure.kind === 'service' && failure.status === 503))
      slot.slowDown()
    // A storage only knows its URLs: whether the session was deleted or completed meanwhile, the service knows.
    const firstRejection = failure.kind === 'rejected' && !this.#rejected.has(part.number)
    if (firstRejection) this.#rejected.add(part.number)
    if (failure.kind === 'url-expired' || firstRejection) {
      this.#refusedUrls.add(part.number)
      this.#refreshWanted = true
      return null
    }
    return this.#partFailed(failure)
  }

  /**
   * What was hashed once is sent as it is read. Only a refusal (§4.2) makes it worth reading the part again: either the
   * file has changed without a trace, or the line spoilt what was right.
   */
  async #seenThrough(part: Part, failure: Failure): Promise<Failure> {
    if (!isAboutContent(failure)) return failure
    const now = await this.#world.hashing.digest('sha256', this.#recording.path, this.#range(part.number))
    if (!now.ok) return now.failure
    if (now.value === part.sha256) return failure
    return { kind: 'file-changed', detail: 'its content is not what was hashed' }
  }

  /** The ETag as soon as it is there; with the last one the upload is over, in the same transaction. */
  async #sent(number: number, etag: string): Promise<void> {
    const { journal } = this.#world
    await journal.commit(() => {
      if (!this.#isOwnSession()) return
      journal.parts.sent(this.#recording.id, number, etag, { guessed: false })
      // Not where another part has to wait for long: that wait is the recording's.
      if (this.#recording.attempts > 0 && !this.#over)
        journal.recordings.patch(this.#recording.id, { attempts: 0, nextAttemptAtMs: 0, problem: null })
      const now = journal.recordings.byId(this.#recording.id)
      if (now !== null && now.partsSent === now.partsTotal) this.#allSent()
    })
    this.#recording = { ...this.#recording, attempts: 0 }
    this.#refreshes = 0
  }

  /** What only this part has to wait for: the others go on, and it is sent again from here. */
  #partFailed(failure: Failure): number | null {
    if (this.#signal.aborted || this.#over) return null
    const { journal, clock } = this.#world
    const decision = carryOut(this.#world, { kind: 'recording', recording: this.#recording }, failure)
    const known = journal.recordings.byId(this.#recording.id)
    if (decision !== 'wait' || known?.state !== 'uploading') {
      this.#troubled ||= decision === 'condition'
      this.#over = decision !== 'condition' || known?.state !== 'uploading'
      return null
    }
    this.#recording = { ...this.#recording, attempts: known.attempts, heldSinceMs: known.heldSinceMs }
    const waitMs = Math.max(0, known.nextAttemptAtMs - clock.wallMs())
    // The file is not kept open for a long wait; and what the storage refuses is sent again once the service was asked.
    if (waitMs <= LONGEST_OPEN_FILE_RETRY_DELAY_MS && failure.kind !== 'rejected') return waitMs
    this.#over = true
    return null
  }

  #fail(failure: Failure): null {
    this.#over = true
    if (!this.#signal.aborted)
      carryOut(this.#world, { kind: 'recording', recording: this.#recording }, failure)
    return null
  }

  #allSent(): void {
    this.#over = true
    this.#world.journal.recordings.transition(
      this.#recording.id,
      'uploading',
      { kind: 'parts-sent' },
      { reason: 'every part is at the service' },
    )
  }

  #range(number: number) {
    const { identity, partSize } = this.#recording
    return partRange(identity.sizeBytes, partSize ?? identity.sizeBytes, number)
  }

  /** By the service's clock, not the PC's: expiry is judged over there. */
  #nearExpiry(): boolean {
    if (this.#dateIsWrong) return false
    const expiresAtMs = this.#recording.urlsExpireAtMs
    if (expiresAtMs === null) return true
    const leftMs = expiresAtMs - this.#service.nowMs()
    // The most that was ever left is the best guess at how long the service makes its URLs live.
    this.#lifetimeMs = Math.max(this.#lifetimeMs, leftMs)
    return leftMs < Math.min(URL_MARGIN_MS, this.#lifetimeMs * URL_MARGIN_SHARE)
  }
}
