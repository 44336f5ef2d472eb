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
import { sharesOrWaits } from '../../sessions/same-content.ts'
import { carryOut } from '../../stage/apply-decision.ts'
import { Jobs } from '../../stage/jobs.ts'
import { leaveRecording } from '../../stage/removed-folders.ts'
import { StageOf } from '../../stage/stage.ts'
import { namesSent } from './creation-names.ts'
import { bodyOf, isStill, wasRefused } from './creation-request.ts'

const LOOK_MS = 5_000
/** Sessions are opened only a little ahead of the uploads: a URL that waits is a URL that expires. */
const AHEAD_FACTOR = 2
const NO_INTENT = { createKey: null, createKeyAtMs: null, createBody: null } as const
/** Instead of a body that could not be made. */
const NEVER_SENT = '{}'
/** The body stays, which tells. */
const REFUSED_INTENT = { createKey: null, createKeyAtMs: null } as const

/** Ready recordings get their session: the same content again, one found at the service, or a new one. */
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
  /** One that has been sent makes room for the next. */
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
      for (const recording of this.#chosen(lane, nowMs, settings.transfer.parallel_recordings, forProbe)) {
        this.#jobs.begin(recording.id, this.name, () => this.#open(recording, service, signal), lane.name)
        if (forProbe) return LOOK_MS
      }
    return journal.work.nextCheckMs('ready', nowMs, LOOK_MS)
  }

  close(): Promise<void> {
    return this.#jobs.ended()
  }

  #chosen(
    { name, sizes, atOnce, openingAtOnce }: UploadLane,
    nowMs: number,
    parallelRecordings: number,
    forProbe: boolean,
  ): Recording[] {
    const { work } = this.world.journal
    const opening = this.#jobs.count(name)
    const hands = openingAtOnce - opening
    if (hands <= 0) return []
    const room = atOnce(parallelRecordings) * AHEAD_FACTOR - work.countOpen(nowMs, sizes) - opening
    if (room <= 0 && forProbe) return []
    if (room > 0) return work.due('ready', nowMs, Math.min(room, hands), this.#jobs.ids, sizes)
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
    // It was being hashed when its folder was removed from the settings.
    if (folder === undefined && recording.createKey === null && recording.sessionId === null) {
      leaveRecording(journal, recording)
      return
    }
    if (folder?.upload_duplicates !== true && sharesOrWaits(this.world, recording)) return
    if (!(await this.#isStillThere(recording))) return
    if (recording.sessionId !== null) {
      journal.recordings.transition(
        recording.id,
        'ready',
        { kind: 'session-opened' },
        { reason: 'continues in its session' },
      )
      return
    }
    if (this.#cutByNewSettings(recording, folder)) return
    const intended = await this.#intend(recording, folder)
    if (intended === null) return
    if (intended.lookFirst) {
      const looked = await this.#look(intended, service, signal)
      const asked = looked === 'not-there' ? this.#intendAfterLook(intended) : null
      if (asked !== null) await this.#create(asked, service, signal)
      return
    }
    await this.#create(intended, service, signal)
  }

  /** A key whose answer could not be read brings that answer back; kept until here, it also finds what it made. */
  #intendAfterLook(recording: Recording): Recording | null {
    const { journal, clock, newKey } = this.world
    const isSame = this.#hasLiveKey(recording) && recording.attempts <= UNREADABLE_CREATION_RETRIES
    const request = isSame ? recording : { createKey: newKey(), createBody: bodyOf(recording, recording) }
    const { createKey, createBody } = request
    const intent = { createKey, createBody, createKeyAtMs: clock.wallMs(), lookFirst: false }
    return journal.transaction(() => {
      if (!isStill(journal.recordings.byId(recording.id), recording)) return null
      journal.recordings.patch(recording.id, intent)
      return { ...recording, ...intent }
    })
  }

  #hasLiveKey({ createKey, createKeyAtMs }: Recording): boolean {
    if (createKey === null || createKeyAtMs === null) return false
    const ageMs = this.world.clock.wallMs() - createKeyAtMs
    return ageMs >= 0 && ageMs < KEY_LIFETIME_MS
  }

  /** Where the path has a newer recording, the bytes of this one are most probably nowhere any more. */
  async #isStillThere(recording: Recording): Promise<boolean> {
    if (recording.current) return true
    const found = await this.world.files.identify(recording.path)
    if (found.ok && sameFile(found.value, recording.identity)) return true
    const failure: Failure = found.ok ? { kind: 'file-changed', detail: 'it was replaced' } : found.failure
    carryOut(this.world, { kind: 'recording', recording }, failure)
    return false
  }

  /** The intent is written before the side effect: key and body, exactly as they will be sent. */
  async #intend(recording: Recording, folder: FolderSettings | undefined): Promise<Recording | null> {
    if (this.#hasLiveKey(recording)) return recording
    const named = await namesSent(recording, folder, this.world)
    return this.world.journal.commit(() => this.#writeIntent(recording, named))
  }

  #writeIntent(recording: Recording, named: ReturnType<typeof namesOf>): Recording | null {
    const { journal, clock, newKey } = this.world
    // While its sidecar was read it may have become other content, or gone elsewhere: this intent would not be its own.
    const now = journal.recordings.byId(recording.id)
    if (now?.state !== 'ready' || now.sha256 !== recording.sha256) return null
    if (!this.world.paths.same(now.path, recording.path)) return null
    if (!named.ok) {
      // As if the service had refused it: the next try is made from the settings of then.
      if (named.failure.kind === 'placeholder-unfilled')
        journal.recordings.patch(recording.id, {
          ...REFUSED_INTENT,
          createBody: NEVER_SENT,
          // An older request may have made a session all the same.
          lookFirst: recording.lookFirst || recording.createKey !== null,
        })
      carryOut(this.world, { kind: 'recording', recording }, named.failure)
      return null
    }
    const { names } = named
    // An old key may have made a session that the service no longer ties to it.
    const lookFirst = recording.lookFirst || recording.createKey !== null
    // Until the look-up is done the time stays that of the first intent: a session can be no older. Nor is there a new
    // key before: one that was never sent would be taken for a request whose answer was lost.
    const request = {
      createKey: newKey(),
      createKeyAtMs: clock.wallMs(),
      createBody: bodyOf(recording, names),
    }
    const intent = { ...names, lookFirst, ...(lookFirst ? {} : request) }
    journal.recordings.patch(recording.id, intent)
    return { ...recording, ...intent }
  }

  /** Past the key's lifetime, or with a rebuilt journal, the session may be there already: adopt it. */
  async #look(
    recording: Recording,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<'adopted' | 'failed' | 'not-there'> {
    const isFree = (sessionId: string) => this.world.journal.recordings.bySession(sessionId).length === 0
    const found = await this.#finder.find(recording, { service, isFree }, signal)
    if (!found.ok) return this.#lookFailed(recording, found.failure)
    for (const sessionId of found.value.filter(isFree)) {
      const retrieved = await service.retrieveSession(sessionId, signal)
      if (!retrieved.ok) {
        const { kind } = retrieved.failure
        // Listed, but not to be had: whoever it belongs to, it is not ours to continue.
        if (kind === 'not-found' || kind === 'other-organisation') continue
        return this.#lookFailed(recording, retrieved.failure)
      }
      const { value: session, requestId } = retrieved.value
      const mismatch = contentFailure(session, recording, requestId)
      if (mismatch !== null) return this.#lookFailed(recording, mismatch)
      if (session.filename !== null && session.filename !== recording.name) continue
      if (this.world.journal.givenUp.has(session.id)) continue
      this.#adopt(recording, session, requestId)
      return 'adopted'
    }
    return 'not-there'
  }

  #lookFailed(recording: Recording, failure: Failure): 'failed' {
    carryOut(this.world, { kind: 'recording', recording }, failure)
    return 'failed'
  }

  #adopt(recording: Recording, session: RemoteSession, requestId: string | null): void {
    const { journal } = this.world
    journal.transaction(() => {
      // Other content by now: the session that was found is not its own. Nor if a copy of it was faster.
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
            lookFirst: false,
            session: summaryOf(session),
          },
        },
      )
      if (opened === null) return
      // What it wants is asked again by the uploader, which also tells where it cannot be done.
      if (stageOf(session.status) !== 'uploading' || session.upload === null) return
      if (whyImpossible(opened.identity.sizeBytes, session.upload.partSize) === null)
        this.#cutAgainIfNeeded(opened, session.upload)
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
      journal.givenUp.session(value.id, 'it wants parts that cannot be made', body)
      await this.#refused(recording, { kind: 'parts-impossible', detail: impossible, requestId })
      return
    }
    const takenMeanwhile = await journal.commit(() => {
      const taken = this.#mismatch(recording, value, requestId)
      if (taken !== null) return taken
      const now = journal.recordings.byId(recording.id)
      // The recording has other content by now, or the session is already to be deleted: it gets another one. The key
      // would only bring this one back.
      if (!isStill(now, recording) || journal.givenUp.has(value.id)) {
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
            urlsExpireAtMs: value.upload.expiresAtMs,
          },
        },
      )
      if (opened === null) return null
      journal.parts.setUrls(opened.id, value.upload.parts)
      this.#cutAgainIfNeeded(opened, value.upload)
      fresh.add(value.id)
      return null
    })
    if (takenMeanwhile !== null) await this.#refused(recording, takenMeanwhile)
  }

  /** A session of another recording, or of different content, is not this recording's, whatever the service says. */
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
    // A refused creation is no creation: the next try is a new one, made from the settings of then.
    if (failure.kind === 'rejected' || failure.kind === 'parts-impossible') {
      recordings.patch(recording.id, REFUSED_INTENT)
      if (await this.#isCorrected(recording)) return
    }
    // §8: usually the first request is still being worked on, and the same key gets its answer a little later.
    // A key that really belongs to another request needs a new one; the look-up prevents a twin.
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

  /** Renamed, moved or set anew while it was being asked: the refusal is about something that is no longer so. */
  async #isCorrected({ id, createBody }: Recording): Promise<boolean> {
    const now = this.world.journal.recordings.byId(id)
    if (now === null || now.sha256 === null) return true
    const named = await namesSent(now, this.world.folderOf(now.folder), this.world)
    return named.ok && bodyOf(now, named.names) !== createBody
  }

  /** A part size that was refused is another one in the settings by now. */
  #cutByNewSettings(recording: Recording, folder: FolderSettings | undefined): boolean {
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

  #cutAgainIfNeeded(opened: Recording, upload: RemoteUpload): void {
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
