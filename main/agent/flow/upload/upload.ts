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
import { abandonSession, applyDecision } from '../../stage/apply-decision.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { PartQueue } from './part-queue.ts'

/** Fetch new URLs when less than this is left, so that a slow part does not outlive its URL. */
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

/** Some storages report a bad checksum only as an invalid request. */
const isAboutContent = (failure: Failure): boolean =>
  failure.kind === 'part-corrupt' || (failure.kind === 'rejected' && [400, 422].includes(failure.status))

/** Uploads one recording, starting from what the journal and the service know. */
export class Upload {
  readonly #world: Pick<StageWorld, UploadNeeds>
  readonly #service: ServiceClient
  readonly #signal: AbortSignal
  /** Send one part as a probe, although the storage is failing. */
  #isProbe: boolean
  readonly #refusedUrls = new Set<number>()
  readonly #rejected = new Set<number>()
  /** Buffers of sent parts, 2 MB each, reused instead of left to the garbage collector. */
  readonly #spareBuffers: Buffer[][] = []
  #recording: Recording
  #refreshes = 0
  #lifetimeMs = 0
  /** If new URLs already look expired, our clock reading is wrong; trust the storage. */
  #dateIsWrong = false
  /** The upload ends: parts in flight finish, no new one starts. */
  #over = false
  /** A part failed because of a station-wide problem. The uploader starts again when that is over. */
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
      // Only the control API knows the missing parts.
      if (!known && !station.mayRequest()) return
      const numbers = known ? this.#unsent() : await this.#resume()
      if (numbers === null) return
      if (numbers.length === 0) return this.#allSent()
      await this.#sendAll(file, numbers)
      if (this.#thrown !== null) throw this.#thrown.error
      known = !this.#refreshWanted
      this.#refreshWanted = false
      // The storage is failing. We know the missing parts, so the next attempt need not ask for them. Always return here:
      // an immediate retry would only add load.
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

  /** Asks the service for the missing parts; null if the recording has moved on or failed. */
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
    if (session.upload !== null && !this.#hasSamePartSize(session.upload, requestId)) return null
    // If no part is listed as missing, the completion shows whether that is true.
    const missing = session.upload?.parts ?? []
    const expiresAtMs = session.upload?.expiresAtMs ?? this.#recording.urlsExpireAtMs
    const now = this.#service.nowMs()
    // New URLs cannot be expired already, so the date is wrong, at the service or at a proxy.
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

  /** The service decides the part size (§2.3), within its own limits (§8). */
  #hasSamePartSize({ partSize }: RemoteUpload, requestId: string | null): boolean {
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

  /** For an ETag lost in a crash: most storages use the MD5. The completion shows whether that is right. */
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

  /** False if the recording got a new session while a part was in flight. The ETag belongs to the old one. */
  #isOwnSession(): boolean {
    const { sessionId } = this.#recording
    return this.#world.journal.recordings.byId(this.#recording.id)?.sessionId === sessionId
  }

  async #sendAll(file: OpenRecording, numbers: readonly number[]): Promise<void> {
    const { slots, clock } = this.#world
    const parts = new Map(this.#parts().map((part) => [part.number, part]))
    const queue = new PartQueue(numbers, clock)
    const inFlight = new Set<Promise<void>>()
    // Errors such as a full disk under the journal are kept until the other parts have ended.
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
          if (waitMs !== null) queue.retry(number, waitMs)
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

  /** Returns the delay of a retry in milliseconds, or null if this part needs none from here. */
  async #send(
    file: OpenRecording,
    part: Part,
    slot: { readonly slowDown: () => void },
  ): Promise<number | null> {
    const { progress, pace } = this.#world
    const { start, length } = this.#range(part.number)
    let bytesSent = 0
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
        bytesSent += more
        progress.sending(this.#recording.id, part.number, bytesSent)
      },
      signal: this.#signal,
    })
    progress.partDone(this.#recording.id, part.number)
    if (outcome.ok) {
      // Reuse only after success: after a failure the socket may still hold a chunk.
      this.#spareBuffers.push(buffers)
      await this.#sent(part.number, outcome.value.etag)
      return null
    }
    const failure = await this.#diagnose(part, outcome.failure)
    if (failure.kind === 'rate-limited' || (failure.kind === 'service' && failure.status === 503))
      slot.slowDown()
    // The session may have been deleted or completed meanwhile. The storage knows only URLs, so ask the service.
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
   * Parts are sent without hashing them again. After a refusal (§4.2) we hash the part: either the file changed and kept its
   * size and times, or the bytes were damaged on the way.
   */
  async #diagnose(part: Part, failure: Failure): Promise<Failure> {
    if (!isAboutContent(failure)) return failure
    const now = await this.#world.hashing.digest('sha256', this.#recording.path, this.#range(part.number))
    if (!now.ok) return now.failure
    if (now.value === part.sha256) return failure
    return { kind: 'file-changed', detail: 'its content is not what was hashed' }
  }

  /** Stores the ETag. The last one also ends the upload, in the same transaction. */
  async #sent(number: number, etag: string): Promise<void> {
    const { journal } = this.#world
    await journal.commit(() => {
      if (!this.#isOwnSession()) return
      journal.parts.sent(this.#recording.id, number, etag, { guessed: false })
      // Unless a different part has put the whole recording on a long wait.
      if (this.#recording.attempts > 0 && !this.#over)
        journal.recordings.patch(this.#recording.id, { attempts: 0, nextAttemptAtMs: 0, problem: null })
      const now = journal.recordings.byId(this.#recording.id)
      if (now !== null && now.partsSent === now.partsTotal) this.#allSent()
    })
    this.#recording = { ...this.#recording, attempts: 0 }
    this.#refreshes = 0
  }

  /** Returns the delay if only this part has to wait; the others continue. */
  #partFailed(failure: Failure): number | null {
    if (this.#signal.aborted || this.#over) return null
    const { journal, clock } = this.#world
    const decision = applyDecision(this.#world, { kind: 'recording', recording: this.#recording }, failure)
    const known = journal.recordings.byId(this.#recording.id)
    if (decision !== 'wait' || known?.state !== 'uploading') {
      this.#troubled ||= decision === 'condition'
      this.#over = decision !== 'condition' || known?.state !== 'uploading'
      return null
    }
    this.#recording = { ...this.#recording, attempts: known.attempts, heldSinceMs: known.heldSinceMs }
    const waitMs = Math.max(0, known.nextAttemptAtMs - clock.wallMs())
    // Close the file for a long wait. After a rejection, ask the service before the part is sent again.
    if (waitMs <= LONGEST_OPEN_FILE_RETRY_DELAY_MS && failure.kind !== 'rejected') return waitMs
    this.#over = true
    return null
  }

  #fail(failure: Failure): null {
    this.#over = true
    if (!this.#signal.aborted)
      applyDecision(this.#world, { kind: 'recording', recording: this.#recording }, failure)
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

  /** By the service's clock, because the storage checks the expiry, not this PC. */
  #nearExpiry(): boolean {
    if (this.#dateIsWrong) return false
    const expiresAtMs = this.#recording.urlsExpireAtMs
    if (expiresAtMs === null) return true
    const leftMs = expiresAtMs - this.#service.nowMs()
    // The longest time we have seen is the best estimate of a URL's lifetime.
    this.#lifetimeMs = Math.max(this.#lifetimeMs, leftMs)
    return leftMs < Math.min(URL_MARGIN_MS, this.#lifetimeMs * URL_MARGIN_SHARE)
  }
}
