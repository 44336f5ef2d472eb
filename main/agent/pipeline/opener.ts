import type { CreateSessionRequest } from '../../../shared/control-api.ts'
import type { FolderSettings, Settings } from '../../../shared/settings.ts'
import { KEY_LIFETIME_MS } from '../domain/retry-policy.ts'
import { stageOf, summaryOf } from '../domain/session-summary.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Clock, Log, Random, RemoteSession, RemoteUpload, ServiceClient, StationGate } from '../ports.ts'
import { respond, withoutSession } from '../running/failure-response.ts'

const LOOK_MS = 5_000
const AT_ONCE = 4
/** Sessions are opened only a little ahead of the uploads: a URL that waits is a URL that expires. */
const AHEAD_FACTOR = 2
const CLOCK_SLACK_MS = 3_600_000
const WAIT_FOR_TWIN_MS = 2_000
/** Refusals of a key as already in use, before it is given up. */
const PATIENCE_WITH_KEY = 2
const MOST_PAGES = 200

type Dependencies = {
  readonly journal: Journal
  readonly service: () => ServiceClient | null
  readonly gate: StationGate
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly newKey: () => string
  readonly settings: () => Settings | null
  /** Sessions whose URLs are from this run, so that the uploader need not ask for them again. A hint only. */
  readonly fresh: Set<string>
}

/** Ready recordings get their session: the same content again, one found at the service, or a new one. */
export class Opener {
  readonly name = 'opener'
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  async step(signal: AbortSignal): Promise<number> {
    const { journal, gate } = this.#deps
    const service = this.#deps.service()
    const settings = this.#deps.settings()
    if (service === null || settings === null || !gate.mayUpload()) return LOOK_MS
    const room = settings.transfer.parallel_recordings * AHEAD_FACTOR - journal.work.countActive('uploading')
    const due = journal.work.due(['ready'], Math.max(room, 1))
    const chosen = (room > 0 ? due : due.filter((recording) => recording.urgent)).slice(0, AT_ONCE)
    if (chosen.length === 0) return journal.work.lookAgainMs(['ready'], LOOK_MS)
    await Promise.all(chosen.map((recording) => this.#open(recording, settings, service, signal)))
    return 0
  }

  async #open(
    recording: Recording,
    settings: Settings,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<void> {
    const { journal } = this.#deps
    const folder = settings.folders.find((candidate) => candidate.path === recording.folder)
    if (folder?.upload_duplicates !== true && this.#sameContent(recording)) return
    if (recording.sessionId !== null) {
      journal.recordings.transition(
        recording.id,
        'ready',
        { kind: 'session-opened' },
        { reason: 'continues in its session' },
      )
      return
    }
    const intended = this.#intend(recording, folder)
    if (intended.lookFirst) {
      const looked = await this.#look(intended, service, signal)
      if (looked !== 'not-there') return
      journal.recordings.patch(intended.id, { lookFirst: false, createKeyAtMs: this.#deps.clock.wallMs() })
    }
    await this.#create(intended, service, signal)
  }

  /** A copy waits for its twin and then shares its session; if the twin comes to nothing, the copy goes itself. */
  #sameContent(recording: Recording): boolean {
    const { journal, clock } = this.#deps
    const twins = journal.recordings.sameContent(recording)
    const processed = twins.find((twin) => twin.state === 'processed')
    if (processed !== undefined) {
      const reason = `same content as ${processed.name}, which is already processed`
      const { sessionId, session } = processed
      journal.transaction(() => {
        journal.givenUp.ofRecording(recording, reason)
        journal.parts.forgetSession(recording.id)
        journal.recordings.transition(
          recording.id,
          'ready',
          { kind: 'same-content' },
          { reason, patch: { ...withoutSession, duplicateOf: processed.id, sessionId, session } },
        )
      })
      return true
    }
    const ahead = twins.some(
      (twin) =>
        ['uploading', 'completing', 'processing'].includes(twin.state) ||
        (twin.state === 'ready' && twin.id < recording.id && !twin.paused),
    )
    if (ahead) journal.recordings.patch(recording.id, { nextAttemptAtMs: clock.wallMs() + WAIT_FOR_TWIN_MS })
    return ahead
  }

  /** The intent is written before the side effect: key and body, exactly as they will be sent. */
  #intend(recording: Recording, folder: FolderSettings | undefined): Recording {
    const { journal, clock, newKey } = this.#deps
    const keyAgeMs = recording.createKeyAtMs === null ? 0 : clock.wallMs() - recording.createKeyAtMs
    const known = recording.createKey !== null && recording.createKeyAtMs !== null
    if (known && keyAgeMs >= 0 && keyAgeMs < KEY_LIFETIME_MS) return recording
    if (recording.sha256 === null || recording.partSize === null) throw new Error('ready without digests')
    const body: CreateSessionRequest = {
      site: recording.site,
      filename: recording.name,
      bytes: recording.identity.sizeBytes,
      sha256: recording.sha256,
      part_size: recording.partSize,
      ...(recording.device === null ? {} : { device: recording.device }),
      ...(folder?.notes === undefined ? {} : { notes: folder.notes }),
    }
    // An old key may have made a session that the service no longer ties to it.
    const lookFirst = recording.lookFirst || recording.createKey !== null
    const intent = {
      createKey: newKey(),
      // Until the look-up is done this stays the time of the first intent: a session can be no older.
      createKeyAtMs: lookFirst ? recording.createKeyAtMs : clock.wallMs(),
      createBody: JSON.stringify(body),
      lookFirst,
    }
    journal.recordings.patch(recording.id, intent)
    return { ...recording, ...intent }
  }

  /** Past the key's lifetime, or with a rebuilt journal, the session may be there already: adopt it. */
  async #look(
    recording: Recording,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<'adopted' | 'failed' | 'not-there'> {
    const sinceMs = this.#earliestCreation(recording, service)
    const filter = {
      site: recording.site,
      limit: 500,
      ...(sinceMs === null ? {} : { createdFrom: new Date(sinceMs).toISOString() }),
    }
    let cursor: string | null = null
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const listed: Awaited<ReturnType<ServiceClient['listSessions']>> = await service.listSessions(
        { ...filter, ...(cursor === null ? {} : { cursor }) },
        signal,
      )
      if (!listed.ok) {
        respond(this.#deps, recording, listed.failure)
        return 'failed'
      }
      const found = listed.value.value.sessions.find(
        (session) =>
          session.sha256 === recording.sha256 &&
          session.bytes === recording.identity.sizeBytes &&
          session.filename === recording.name &&
          this.#deps.journal.recordings.bySession(session.id).length === 0,
      )
      if (found !== undefined) return this.#adopt(recording, found, service, signal)
      cursor = listed.value.value.nextCursor
      if (cursor === null) return 'not-there'
    }
    return 'not-there'
  }

  /**
   * The journal's time is this PC's, `created` is the service's. A session that a wrong clock hides from the
   * look-up would be made twice, so without a measured difference the whole site is looked through.
   */
  #earliestCreation(recording: Recording, service: ServiceClient): number | null {
    const offsetMs = service.clockOffsetMs()
    const keyAtMs = recording.createKeyAtMs
    if (keyAtMs === null || offsetMs === null || keyAtMs > this.#deps.clock.wallMs()) return null
    return keyAtMs + Math.min(offsetMs, 0) - CLOCK_SLACK_MS
  }

  async #adopt(recording: Recording, found: RemoteSession, service: ServiceClient, signal: AbortSignal) {
    const { journal } = this.#deps
    const retrieved = await service.retrieveSession(found.id, signal)
    if (!retrieved.ok) {
      respond(this.#deps, recording, retrieved.failure)
      return 'failed' as const
    }
    const { value: session, requestId } = retrieved.value
    journal.transaction(() => {
      const opened = journal.recordings.transition(
        recording.id,
        'ready',
        { kind: 'session-opened' },
        {
          reason: 'found its session at the service',
          requestId,
          patch: { sessionId: session.id, lookFirst: false, session: summaryOf(session) },
        },
      )
      if (opened === null) return
      if (stageOf(session.status) === 'uploading' && session.upload !== null)
        this.#cutAgainIfNeeded(opened, session.upload)
    })
    return 'adopted' as const
  }

  async #create(recording: Recording, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal, fresh } = this.#deps
    const { createKey, createBody } = recording
    if (createKey === null || createBody === null) throw new Error('no intent was written')
    const body = JSON.parse(createBody) as CreateSessionRequest
    const created = await service.createSession(body, createKey, signal)
    if (!created.ok) {
      // §8: usually the first request is still being worked on, and the same key gets its answer a little later.
      // A key that really belongs to another request needs a new one; the look-up prevents a twin.
      if (created.failure.kind === 'conflict' && recording.attempts >= PATIENCE_WITH_KEY)
        journal.recordings.patch(recording.id, { createKeyAtMs: 0 })
      respond(this.#deps, recording, created.failure)
      return
    }
    const { value, requestId } = created.value
    journal.transaction(() => {
      const opened = journal.recordings.transition(
        recording.id,
        'ready',
        { kind: 'session-opened' },
        {
          reason: 'session created',
          requestId,
          patch: { sessionId: value.id, urlsExpireAtMs: value.upload.expiresAtMs },
        },
      )
      if (opened === null) {
        journal.givenUp.session(value.id, 'the recording changed while its session was created')
        return
      }
      journal.parts.setUrls(opened.id, value.upload.parts)
      this.#cutAgainIfNeeded(opened, value.upload)
      fresh.add(value.id)
    })
  }

  #cutAgainIfNeeded(opened: Recording, upload: RemoteUpload): void {
    if (upload.partSize === opened.partSize) return
    this.#deps.journal.recordings.transition(
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
