import type { CreateSessionRequest } from '../../../../shared/contract/control-api.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { Failure } from '../../domain/failure.ts'
import { sameFile } from '../../domain/file-identity.ts'
import type { namesOf } from '../../domain/naming.ts'
import { planPartSize, whyImpossible } from '../../domain/part-plan.ts'
import {
  KEY_CONFLICT_RETRIES,
  KEY_LIFETIME_MS,
  UNREADABLE_CREATION_RETRIES,
} from '../../domain/retry-policy.ts'
import { contentFailure } from '../../domain/session-content.ts'
import { stageOf, summaryOf } from '../../domain/session-summary.ts'
import { type UploadLane, uploadLanes } from '../../domain/upload-lane.ts'
import type { Recording } from '../../journal/journal.ts'
import type { CreatedSession, RemoteSession, RemoteUpload, ServiceClient } from '../../ports/service.ts'
import { SessionFinder } from '../../sessions/find-session.ts'
import { shareOrWaitForTwin } from '../../sessions/same-content.ts'
import { carryOut } from '../../stage/apply-decision.ts'
import { Jobs } from '../../stage/jobs.ts'
import { leaveRecording } from '../../stage/removed-folders.ts'
import { StageOf } from '../../stage/stage.ts'
import { resolveNames } from './creation-names.ts'
import { bodyOf, isUnchanged, wasRefused } from './creation-request.ts'

const LOOK_MS = 5_000
/** Open sessions only a little ahead of the uploads, because waiting URLs expire. */
const AHEAD_FACTOR = 2
const NO_INTENT = { createKey: null, createKeyAtMs: null, createBody: null } as const
/** Stored instead of a body that could not be built. */
const UNSENT_BODY = '{}'
/** Keeps the body, which marks the request as refused. */
const REFUSED_INTENT = { createKey: null, createKeyAtMs: null } as const

/** Gives ready recordings a session: that of the same content, one found at the service, or a new one. */
export class Opener extends StageOf<
  | 'journal'
  | 'service'
  | 'station'
  | 'clock'
  | 'random'
  | 'newKey'
  | 'settings'
  | 'folderOf'
  | 'fresh'
  | 'files'
  | 'hostName'
  | 'paths'
  | 'guard'
  | 'wake'
> {
  readonly name = 'opener'
  /** Wakes on `completing`, too: a recording whose parts are sent frees a slot. */
  readonly takes = ['ready', 'completing'] as const
  readonly #jobs = new Jobs(this.world, 'ready')
  readonly #finder = new SessionFinder(this.world)

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station, clock } = this.world
    const service = this.world.service()
    const settings = this.world.settings()
    if (service === null || settings === null) return LOOK_MS
    this.#finder.forgetUnused()
    const nowMs = clock.wallMs()
    const forProbe = !station.mayStartPart()
    if (forProbe && !this.#isProbeWanted(nowMs)) return LOOK_MS
    for (const lane of uploadLanes)
      for (const recording of this.#recordingsToOpen(
        lane,
        nowMs,
        settings.transfer.parallel_recordings,
        forProbe,
      )) {
        this.#jobs.begin(recording.id, this.name, () => this.#open(recording, service, signal), lane.name)
        if (forProbe) return LOOK_MS
      }
    return journal.work.nextCheckMs('ready', nowMs, LOOK_MS)
  }

  close(): Promise<void> {
    return this.#jobs.ended()
  }

  #recordingsToOpen(
    { name, sizes, atOnce, openingAtOnce }: UploadLane,
    nowMs: number,
    parallelRecordings: number,
    forProbe: boolean,
  ): Recording[] {
    const { work } = this.world.journal
    const opening = this.#jobs.count(name)
    const freeRequests = openingAtOnce - opening
    if (freeRequests <= 0) return []
    const freeSlots = atOnce(parallelRecordings) * AHEAD_FACTOR - work.countOpen(nowMs, sizes) - opening
    if (freeSlots <= 0 && forProbe) return []
    if (freeSlots > 0)
      return work.due('ready', nowMs, Math.min(freeSlots, freeRequests), this.#jobs.ids, sizes)
    return work.due('ready', nowMs, 1, this.#jobs.ids, sizes).filter((recording) => recording.urgent)
  }

  /** One part probes a silent storage. If every open session waits for something else, no part would ever probe it. */
  #isProbeWanted(nowMs: number): boolean {
    const { station, journal } = this.world
    if (!station.mayStartPart({ isProbe: true })) return false
    if (!station.probeDue('storage') || this.#jobs.ids.length > 0) return false
    return journal.work.due('uploading', nowMs, 1).length === 0
  }

  async #open(recording: Recording, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal } = this.world
    const folder = this.world.folderOf(recording.folder)
    // Its folder was removed from the settings while it was hashed.
    if (folder === undefined && recording.createKey === null && recording.sessionId === null) {
      leaveRecording(journal, recording)
      return
    }
    if (folder?.upload_duplicates !== true && shareOrWaitForTwin(this.world, recording)) return
    if (!(await this.#hasFile(recording))) return
    if (recording.sessionId !== null) {
      journal.recordings.transition(
        recording.id,
        'ready',
        { kind: 'session-opened' },
        { reason: 'continues in its session' },
      )
      return
    }
    if (this.#hasNewPartSize(recording, folder)) return
    const intended = await this.#ensureIntent(recording, folder)
    if (intended === null) return
    if (intended.lookFirst) {
      const found = await this.#adoptExisting(intended, service, signal)
      const next = found === 'not-there' ? this.#intentAfterSearch(intended) : null
      if (next !== null) await this.#create(next, service, signal)
      return
    }
    await this.#create(intended, service, signal)
  }

  /**
   * An unreadable answer comes back with the same key, so a new key is needed after a few attempts. The old key stays until
   * the search is done: it tells when the session may have been created.
   */
  #intentAfterSearch(recording: Recording): Recording | null {
    const { journal, clock, newKey } = this.world
    const keepsKey = this.#hasLiveKey(recording) && recording.attempts <= UNREADABLE_CREATION_RETRIES
    const request = keepsKey ? recording : { createKey: newKey(), createBody: bodyOf(recording, recording) }
    const { createKey, createBody } = request
    const intent = { createKey, createBody, createKeyAtMs: clock.wallMs(), lookFirst: false }
    return journal.transaction(() => {
      if (!isUnchanged(journal.recordings.byId(recording.id), recording)) return null
      journal.recordings.patch(recording.id, intent)
      return { ...recording, ...intent }
    })
  }

  #hasLiveKey({ createKey, createKeyAtMs }: Recording): boolean {
    if (createKey === null || createKeyAtMs === null) return false
    const ageMs = this.world.clock.wallMs() - createKeyAtMs
    return ageMs >= 0 && ageMs < KEY_LIFETIME_MS
  }

  /** If a newer recording has this path, the bytes of this one have most likely been overwritten. */
  async #hasFile(recording: Recording): Promise<boolean> {
    if (recording.current) return true
    const found = await this.world.files.identify(recording.path)
    if (found.ok && sameFile(found.value, recording.identity)) return true
    const failure: Failure = found.ok ? { kind: 'file-changed', detail: 'it was replaced' } : found.failure
    carryOut(this.world, { kind: 'recording', recording }, failure)
    return false
  }

  /** Stores key and body before the request, exactly as they will be sent. */
  async #ensureIntent(recording: Recording, folder: FolderSettings | undefined): Promise<Recording | null> {
    if (this.#hasLiveKey(recording)) return recording
    const named = await resolveNames(recording, folder, this.world)
    return this.world.journal.commit(() => this.#writeIntent(recording, named))
  }

  #writeIntent(recording: Recording, named: ReturnType<typeof namesOf>): Recording | null {
    const { journal, clock, newKey } = this.world
    // The recording may have changed or moved while we read its sidecar. This request would no longer be its own.
    const now = journal.recordings.byId(recording.id)
    if (now?.state !== 'ready' || now.sha256 !== recording.sha256) return null
    if (!this.world.paths.same(now.path, recording.path)) return null
    if (!named.ok) {
      // Treat it like a refusal by the service: the next attempt uses the settings of that time.
      if (named.failure.kind === 'placeholder-unfilled')
        journal.recordings.patch(recording.id, {
          ...REFUSED_INTENT,
          createBody: UNSENT_BODY,
          // An earlier request may have created a session.
          lookFirst: recording.lookFirst || recording.createKey !== null,
        })
      carryOut(this.world, { kind: 'recording', recording }, named.failure)
      return null
    }
    const { names } = named
    // An expired key may have created a session that the service no longer links to it.
    const lookFirst = recording.lookFirst || recording.createKey !== null
    // Until the search is done, keep the time of the first request: no session can be older. Store no new key yet either:
    // a key that was never sent would look like a request whose answer was lost.
    const request = {
      createKey: newKey(),
      createKeyAtMs: clock.wallMs(),
      createBody: bodyOf(recording, names),
    }
    const intent = { ...names, lookFirst, ...(lookFirst ? {} : request) }
    journal.recordings.patch(recording.id, intent)
    return { ...recording, ...intent }
  }

  /** After the key's lifetime, or with a rebuilt journal, the session may already exist. */
  async #adoptExisting(
    recording: Recording,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<'adopted' | 'failed' | 'not-there'> {
    const isFree = (sessionId: string) => this.world.journal.recordings.bySession(sessionId).length === 0
    const found = await this.#finder.find(recording, { service, isFree }, signal)
    if (!found.ok) return this.#searchFailed(recording, found.failure)
    for (const sessionId of found.value.filter(isFree)) {
      const retrieved = await service.retrieveSession(sessionId, signal)
      if (!retrieved.ok) {
        const { kind } = retrieved.failure
        // Listed, but not readable with our key: not ours to continue.
        if (kind === 'not-found' || kind === 'other-organisation') continue
        return this.#searchFailed(recording, retrieved.failure)
      }
      const { value: session, requestId } = retrieved.value
      const mismatch = contentFailure(session, recording, requestId)
      if (mismatch !== null) return this.#searchFailed(recording, mismatch)
      if (session.filename !== null && session.filename !== recording.name) continue
      if (this.world.journal.givenUp.has(session.id)) continue
      this.#adopt(recording, session, requestId, service.usesTestKey)
      return 'adopted'
    }
    return 'not-there'
  }

  #searchFailed(recording: Recording, failure: Failure): 'failed' {
    carryOut(this.world, { kind: 'recording', recording }, failure)
    return 'failed'
  }

  #adopt(
    recording: Recording,
    session: RemoteSession,
    requestId: string | null,
    underTestKey: boolean,
  ): void {
    const { journal } = this.world
    journal.transaction(() => {
      // The recording changed meanwhile, or a copy of it adopted the session first.
      if (journal.recordings.byId(recording.id)?.sha256 !== recording.sha256) return
      if (journal.recordings.bySession(session.id).length > 0) return
      const opened = journal.recordings.transition(
        recording.id,
        'ready',
        { kind: 'session-opened' },
        {
          reason: 'found its session at the service',
          requestId,
          patch: {
            sessionId: session.id,
            service: journal.station.service(),
            underTestKey,
            lookFirst: false,
            session: summaryOf(session),
          },
        },
      )
      if (opened === null) return
      // The uploader reads the session again and reports an impossible part size.
      if (stageOf(session.status) !== 'uploading' || session.upload === null) return
      if (whyImpossible(opened.identity.sizeBytes, session.upload.partSize) === null)
        this.#rehashIfPartSizeDiffers(opened, session.upload)
    })
  }

  async #create(recording: Recording, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, fresh } = this.world
    const { createKey, createBody } = recording
    if (createKey === null || createBody === null) throw new Error('no intent was written')
    const body = JSON.parse(createBody) as CreateSessionRequest
    const created = await service.createSession(body, createKey, signal)
    if (!created.ok) return this.#refused(recording, created.failure)
    const { value, requestId } = created.value
    const mismatch = this.#mismatch(recording, value, requestId)
    if (mismatch !== null) return this.#refused(recording, mismatch)
    const impossible = whyImpossible(recording.identity.sizeBytes, value.upload.partSize)
    if (impossible !== null) {
      journal.givenUp.session(value.id, 'its part size is impossible', body)
      await this.#refused(recording, { kind: 'parts-impossible', detail: impossible, requestId })
      return
    }
    const takenMeanwhile = await journal.commit(() => {
      const taken = this.#mismatch(recording, value, requestId)
      if (taken !== null) return taken
      const now = journal.recordings.byId(recording.id)
      // The recording changed meanwhile, or the session is about to be deleted. It needs a new session and a new key,
      // because the old key would return this one.
      if (!isUnchanged(now, recording) || journal.givenUp.has(value.id)) {
        if (now?.createKey === createKey) journal.recordings.patch(recording.id, NO_INTENT)
        journal.givenUp.session(value.id, 'the recording changed while its session was created', body)
        return null
      }
      const opened = journal.recordings.transition(
        recording.id,
        'ready',
        { kind: 'session-opened' },
        {
          reason: 'session created',
          requestId,
          patch: {
            sessionId: value.id,
            service: journal.station.service(),
            underTestKey: service.usesTestKey,
            urlsExpireAtMs: value.upload.expiresAtMs,
          },
        },
      )
      if (opened === null) return null
      journal.parts.setUrls(opened.id, value.upload.parts)
      this.#rehashIfPartSizeDiffers(opened, value.upload)
      fresh.add(value.id)
      return null
    })
    if (takenMeanwhile !== null) await this.#refused(recording, takenMeanwhile)
  }

  /** A failure if the session belongs to a different recording or has different content. */
  #mismatch(recording: Recording, created: CreatedSession, requestId: string | null): Failure | null {
    const { recordings, station } = this.world.journal
    const other = recordings
      .bySession(created.id)
      .find(({ id, service }) => id !== recording.id && service === station.service())
    if (other === undefined) return contentFailure(created, recording, requestId)
    return { kind: 'session-mismatch', detail: `it is the session of ${other.name}`, requestId }
  }

  async #refused(recording: Recording, failure: Failure): Promise<void> {
    const { recordings } = this.world.journal
    // A refused request created nothing. The next attempt is a new request with the settings of that time.
    if (failure.kind === 'rejected' || failure.kind === 'parts-impossible') {
      recordings.patch(recording.id, REFUSED_INTENT)
      if (await this.#isCorrectedMeanwhile(recording)) return
    }
    // §8: usually the service still works on the first request, and the same key gets its answer a little later.
    // If the key really belongs to a different request, use a new one. The search prevents a duplicate session.
    if (failure.kind === 'conflict' && recording.attempts >= KEY_CONFLICT_RETRIES)
      recordings.patch(recording.id, { createKeyAtMs: 0 })
    // The service may have made a session all the same: Sluice searches for it, and uses a new key only if there is none.
    // A gateway may keep answering this one request with its own page (a filter that dislikes the file name).
    const isUseless =
      failure.kind === 'unreadable-answer' ||
      failure.kind === 'session-mismatch' ||
      failure.kind === 'foreign-answer'
    if (isUseless && recording.attempts >= UNREADABLE_CREATION_RETRIES)
      recordings.patch(recording.id, { lookFirst: true })
    carryOut(this.world, { kind: 'recording', recording }, failure)
  }

  /** The file or the settings changed during the request, so the refusal no longer applies. */
  async #isCorrectedMeanwhile({ id, createBody }: Recording): Promise<boolean> {
    const now = this.world.journal.recordings.byId(id)
    if (now === null || now.sha256 === null) return true
    const named = await resolveNames(now, this.world.folderOf(now.folder), this.world)
    return named.ok && bodyOf(now, named.names) !== createBody
  }

  /** The service refused the request, and the settings have a different part size now. */
  #hasNewPartSize(recording: Recording, folder: FolderSettings | undefined): boolean {
    if (!wasRefused(recording)) return false
    const partSize = planPartSize(recording.identity.sizeBytes, folder?.part_size_bytes)
    if (partSize === null || partSize === recording.partSize) return false
    this.world.journal.recordings.transition(
      recording.id,
      'ready',
      { kind: 'rehash-needed' },
      { reason: `the settings want parts of ${partSize} bytes now`, patch: { createBody: null } },
    )
    return true
  }

  #rehashIfPartSizeDiffers(opened: Recording, upload: RemoteUpload): void {
    if (upload.partSize === opened.partSize) return
    this.world.journal.recordings.transition(
      opened.id,
      'uploading',
      { kind: 'rehash-needed' },
      {
        reason: `the service wants parts of ${upload.partSize} bytes`,
        patch: { partSize: upload.partSize },
      },
    )
  }
}
