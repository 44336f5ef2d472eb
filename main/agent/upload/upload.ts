import { sameFile } from '../domain/file-identity.ts'
import { partRange } from '../domain/part-plan.ts'
import { planResume } from '../domain/resume-plan.ts'
import { stageOf, summaryOf } from '../domain/session-summary.ts'
import type { Journal, Part, Recording } from '../journal/journal.ts'
import type {
  Clock,
  Files,
  Hasher,
  OpenRecording,
  ProgressBoard,
  Random,
  ServiceClient,
  StationGate,
} from '../ports.ts'
import { abandonSession, respond } from '../running/failure-response.ts'
import type { Slots } from './slots.ts'

/** Before this little is left of a URL's life, fresh ones are fetched: a slow part must not outlive its URL. */
const URL_MARGIN_MS = 60_000
const URL_MARGIN_SHARE = 0.1
const MOST_REFRESHES = 5

export type UploadDependencies = {
  readonly journal: Journal
  readonly files: Files
  readonly workers: Pick<Hasher, 'md5'>
  readonly gate: StationGate
  readonly slots: Slots
  readonly pace: (bytes: number, signal: AbortSignal) => Promise<void>
  readonly progress: ProgressBoard
  readonly clock: Clock
  readonly random: Random
  /** Sessions whose URLs are from this run. */
  readonly fresh: Set<string>
}

/** One recording's upload, from the present state of the journal and the service until nothing is left to do. */
export class Upload {
  readonly #deps: UploadDependencies
  readonly #service: ServiceClient
  readonly #signal: AbortSignal
  readonly #refusedUrls = new Set<number>()
  readonly #rejected = new Set<number>()
  /** Of parts that have arrived: 2 MB each, which would otherwise wait for the collector. */
  readonly #spareBuffers: Buffer[][] = []
  #recording: Recording
  #refreshes = 0
  #lifetimeMs = 0
  /** Set once something went wrong: parts in flight finish, no new one starts. */
  #stop = false
  #refreshWanted = false

  constructor(recording: Recording, service: ServiceClient, deps: UploadDependencies, signal: AbortSignal) {
    this.#recording = recording
    this.#service = service
    this.#deps = deps
    this.#signal = signal
  }

  async run(): Promise<void> {
    const { files, fresh } = this.#deps
    const opened = await files.open(this.#recording.path)
    if (!opened.ok) {
      respond(this.#deps, this.#recording, opened.failure)
      return
    }
    const file = opened.value
    try {
      const identity = await file.identify()
      if (!sameFile(identity, this.#recording.identity)) return this.#fileChanged()
      let known = fresh.delete(this.#recording.sessionId ?? '') && !this.#nearExpiry()
      while (!this.#stop && !this.#signal.aborted) {
        const numbers = known ? this.#unsent() : await this.#resume()
        known = false
        if (numbers === null) return
        if (numbers.length === 0) return this.#allSent()
        await this.#sendAll(file, numbers)
        if (this.#refreshWanted) this.#refreshWanted = false
        else if (!this.#stop && !this.#signal.aborted) known = true
      }
    } finally {
      await file.close()
    }
  }

  #unsent(): number[] {
    return this.#parts()
      .filter((part) => part.etag === null)
      .map((part) => part.number)
  }

  #parts(): Part[] {
    return this.#deps.journal.parts.of(this.#recording.id)
  }

  /** Asks the service what it has; returns the parts to send, or null when the recording has moved on. */
  async #resume(): Promise<number[] | null> {
    const { journal } = this.#deps
    const { sessionId } = this.#recording
    if (sessionId === null) throw new Error('uploading without a session')
    if (this.#refreshes++ > MOST_REFRESHES) {
      this.#fail({ kind: 'service', status: 403, retryAfterMs: null, requestId: null })
      return null
    }
    const answer = await this.#service.retrieveSession(sessionId, this.#signal)
    if (!answer.ok) {
      this.#fail(answer.failure)
      return null
    }
    const { value: session, requestId } = answer.value
    if (stageOf(session.status) !== 'uploading' || session.upload === null) {
      journal.recordings.transition(
        this.#recording.id,
        'uploading',
        { kind: 'completed' },
        { reason: 'the service has it complete already', requestId, patch: { session: summaryOf(session) } },
      )
      return null
    }
    const { upload } = session
    if (upload.partSize !== this.#recording.partSize) {
      journal.recordings.transition(
        this.#recording.id,
        'uploading',
        { kind: 'rehash-needed' },
        {
          reason: `the service wants parts of ${upload.partSize} bytes`,
          patch: { partSize: upload.partSize },
        },
      )
      return null
    }
    const oldUrlsLive = (this.#recording.urlsExpireAtMs ?? 0) > this.#service.nowMs()
    const plan = planResume(
      this.#parts().map((part) => ({
        number: part.number,
        hasUrl: part.url !== null,
        hasEtag: part.etag !== null,
        resend: part.resend,
      })),
      new Set(upload.parts.map((part) => part.number)),
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
      journal.parts.setUrls(this.#recording.id, upload.parts)
      journal.recordings.patch(this.#recording.id, { urlsExpireAtMs: upload.expiresAtMs })
    })
    this.#recording = { ...this.#recording, urlsExpireAtMs: upload.expiresAtMs }
    for (const part of upload.parts) this.#refusedUrls.delete(part.number)
    for (const number of plan.guessEtags) if (!(await this.#guessEtag(number))) return null
    return [...plan.send]
  }

  /** The storage's convention for an ETag that a crash swallowed; completion tells whether it was right. */
  async #guessEtag(number: number): Promise<boolean> {
    const range = this.#range(number)
    const md5 = await this.#deps.workers.md5(this.#recording.path, range.start, range.length)
    if (!md5.ok) {
      this.#fail(md5.failure)
      return false
    }
    this.#deps.journal.parts.sent(this.#recording.id, number, `"${md5.value}"`, { guessed: true })
    return true
  }

  async #sendAll(file: OpenRecording, numbers: readonly number[]): Promise<void> {
    const parts = new Map(this.#parts().map((part) => [part.number, part]))
    const inFlight = new Set<Promise<void>>()
    for (const number of numbers) {
      const giveBack = await this.#deps.slots.take(this.#recording.urgent, this.#signal)
      if (giveBack === null) break
      const part = parts.get(number)
      if (this.#stop || this.#signal.aborted || part === undefined || this.#nearExpiry()) {
        giveBack()
        if (!this.#stop && !this.#signal.aborted) this.#refreshWanted = true
        break
      }
      const sending = this.#send(file, part).finally(() => {
        giveBack()
        inFlight.delete(sending)
      })
      inFlight.add(sending)
      if (this.#refreshWanted) break
    }
    await Promise.all(inFlight)
  }

  async #send(file: OpenRecording, part: Part): Promise<void> {
    const { journal, progress, pace, slots } = this.#deps
    if (part.url === null) {
      this.#refreshWanted = true
      return
    }
    const { start, length } = this.#range(part.number)
    let seen = 0
    const buffers = this.#spareBuffers.pop() ?? []
    const outcome = await this.#service.sendPart({
      url: part.url,
      sizeBytes: length,
      sha256Base64: Buffer.from(part.sha256, 'hex').toString('base64'),
      body: () =>
        file.read({
          start,
          length,
          sha256: part.sha256,
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
      journal.transaction(() => {
        journal.parts.sent(this.#recording.id, part.number, outcome.value.etag, { guessed: false })
        if (this.#recording.attempts > 0)
          journal.recordings.patch(this.#recording.id, { attempts: 0, problem: null })
      })
      this.#recording = { ...this.#recording, attempts: 0 }
      this.#refreshes = 0
      return
    }
    if (outcome.failure.kind === 'rate-limited') slots.slowDown()
    // A storage only knows its URLs: whether the session was deleted or completed meanwhile, the service knows.
    const firstRejection = outcome.failure.kind === 'rejected' && !this.#rejected.has(part.number)
    if (firstRejection) this.#rejected.add(part.number)
    if (outcome.failure.kind === 'url-expired' || firstRejection) {
      this.#refusedUrls.add(part.number)
      this.#refreshWanted = true
      return
    }
    this.#fail(outcome.failure)
  }

  #fail(failure: Parameters<typeof respond>[2]): void {
    if (this.#stop) return
    this.#stop = true
    if (this.#signal.aborted) return
    if (failure.kind === 'file-changed') void this.#fileChanged()
    else respond(this.#deps, this.#recording, failure)
  }

  #fileChanged(): void {
    this.#deps.journal.recordings.transition(
      this.#recording.id,
      'uploading',
      { kind: 'changed' },
      { reason: 'the file changed while it was uploaded' },
    )
  }

  #allSent(): void {
    this.#deps.journal.recordings.transition(
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
    const expiresAtMs = this.#recording.urlsExpireAtMs
    if (expiresAtMs === null) return true
    const leftMs = expiresAtMs - this.#service.nowMs()
    // The most that was ever left is the best guess at how long the service makes its URLs live.
    this.#lifetimeMs = Math.max(this.#lifetimeMs, leftMs)
    return leftMs < Math.min(URL_MARGIN_MS, this.#lifetimeMs * URL_MARGIN_SHARE)
  }
}
