import { type Failure, failed, type Outcome, urlsRefused } from '../../domain/failure.ts'
import { type FileIdentity, sameFile } from '../../domain/file-identity.ts'
import { URL_REFRESH_RETRIES } from '../../domain/retry-limits.ts'
import { SessionUrls } from '../../domain/session-urls.ts'
import type { Recording } from '../../journal/journal.ts'
import { FileUnreadableError, type OpenRecording } from '../../ports/files.ts'
import type { ServiceClient } from '../../ports/service.ts'
import { applyDecision } from '../../stage/apply-decision.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { markAllPartsSent, PartRound, type PartRoundContext, type PartRoundNeeds } from './part-round.ts'
import { PartTransfer, type PartTransferNeeds } from './part-transfer.ts'
import { type ResumeNeeds, resumeUpload } from './resume-upload.ts'

export type UploadNeeds = PartRoundNeeds | PartTransferNeeds | ResumeNeeds | 'files' | 'sessionsWithNewUrls'

/** Uploads one recording, starting from its state in the journal and at the service. */
export class Upload {
  readonly #world: Pick<StageWorld, UploadNeeds>
  readonly #service: ServiceClient
  readonly #signal: AbortSignal
  readonly #isProbe: boolean
  readonly #urls: SessionUrls
  #recording: Recording
  /** How many times Sluice has read the session since the last round that sent a part. */
  #resumeCount = 0

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
    this.#urls = new SessionUrls(recording.urlsExpireAtMs)
  }

  async run(): Promise<void> {
    const opened = await this.#world.files.open(this.#recording.path)
    if (!opened.ok) {
      this.#fail(opened.failure)
      return
    }
    const file = opened.value
    try {
      const identity = await identify(file)
      if (!identity.ok) this.#fail(identity.failure)
      else if (sameFile(identity.value, this.#recording.identity)) await this.#sendUntilDone(file)
      else this.#fail({ kind: 'file-changed', detail: 'before it was uploaded' })
    } finally {
      await file.close()
    }
  }

  async #sendUntilDone(file: OpenRecording): Promise<void> {
    const { sessionsWithNewUrls, station, journal } = this.#world
    const context = this.#contextOf(file)
    const sessionId = this.#recording.sessionId ?? ''
    let knowsParts = sessionsWithNewUrls.delete(sessionId) && !this.#urls.areNearExpiry(this.#service.nowMs())
    while (!this.#signal.aborted) {
      // To learn the missing parts, Sluice must read the session from the control API.
      if (!knowsParts && !station.mayRequest()) return
      const numbers = knowsParts ? this.#unsentNumbers() : await this.#resume()
      if (numbers === null) return
      if (numbers.length === 0) return markAllPartsSent(journal, this.#recording)
      const round = await new PartRound(this.#recording, context).run(numbers)
      if (round.end === 'over') return
      this.#recording = round.recording
      if (round.hasSentPart) this.#resumeCount = 0
      knowsParts = !round.needsResume
      // An immediate retry would only add load. If Sluice knows the missing parts, the next attempt need not read the
      // session again. But while a condition stops all requests, the session may change.
      if (round.end === 'blocked') {
        if (knowsParts && station.mayRequest()) sessionsWithNewUrls.add(sessionId)
        return
      }
    }
  }

  #contextOf(file: OpenRecording): PartRoundContext {
    return {
      world: this.#world,
      service: this.#service,
      transfer: new PartTransfer(this.#recording, file, this.#service, this.#world, this.#signal),
      urls: this.#urls,
      rejectedParts: new Set(),
      probe: { isDue: this.#isProbe },
      signal: this.#signal,
    }
  }

  #unsentNumbers(): readonly number[] {
    const parts = this.#world.journal.parts.of(this.#recording.id)
    return parts.filter((part) => part.etag === null).map((part) => part.number)
  }

  /** Null after a failure, or if the recording no longer uploads to this session. */
  async #resume(): Promise<readonly number[] | null> {
    if (this.#resumeCount++ > URL_REFRESH_RETRIES) return this.#fail(urlsRefused)
    const resumption = await resumeUpload(
      this.#world,
      this.#recording,
      this.#urls,
      this.#service,
      this.#signal,
    )
    return resumption.ok ? resumption.value : this.#fail(resumption.failure)
  }

  #fail(failure: Failure): null {
    if (!this.#signal.aborted)
      applyDecision(this.#world, { kind: 'recording', recording: this.#recording }, failure)
    return null
  }
}

const identify = async (file: OpenRecording): Promise<Outcome<FileIdentity>> => {
  try {
    return { ok: true, value: await file.identify() }
  } catch (error) {
    if (error instanceof FileUnreadableError) return failed(error.failure)
    throw error
  }
}
