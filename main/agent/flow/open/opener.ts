import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { Failure } from '../../domain/failure.ts'
import { sameFile } from '../../domain/file-identity.ts'
import { planPartSize } from '../../domain/part-plan.ts'
import { type UploadLane, uploadLanes } from '../../domain/upload-lane.ts'
import type { Recording } from '../../journal/journal.ts'
import type { ServiceClient } from '../../ports/service.ts'
import { SessionFinder } from '../../sessions/find-session.ts'
import { shareOrWaitForTwin } from '../../sessions/same-content.ts'
import { applyDecision } from '../../stage/apply-decision.ts'
import { Jobs } from '../../stage/jobs.ts'
import { holdForRemovedFolder } from '../../stage/removed-folders.ts'
import { StageOf } from '../../stage/stage.ts'
import { adoptExisting } from './adopt-session.ts'
import { type CreateSessionNeeds, createSession } from './create-session.ts'
import {
  type CreationIntentNeeds,
  ensureIntent,
  mayHaveOwnSession,
  renewIntentAfterSearch,
} from './creation-intent.ts'
import { wasRefused } from './creation-request.ts'

const CHECK_INTERVAL_MS = 5_000
/** The opener creates sessions only a little ahead of the uploads, because unused URLs expire. */
const AHEAD_FACTOR = 2

/**
 * Gives each ready recording a session: that of an identical recording, one that the service already has, or a new one.
 */
export class Opener extends StageOf<
  CreationIntentNeeds | CreateSessionNeeds | 'service' | 'settings' | 'guard' | 'wake'
> {
  readonly name = 'opener'
  /** A recording that reaches `completing` frees a slot. */
  readonly states = ['ready', 'completing'] as const
  readonly #jobs = new Jobs(this.world, 'ready')
  readonly #finder = new SessionFinder(this.world)
  readonly #startedAtMs = this.world.clock.wallMs()

  async step(signal: AbortSignal): Promise<number> {
    const { journal, station, clock } = this.world
    const service = this.world.service()
    const settings = this.world.settings()
    if (service === null || settings === null) return CHECK_INTERVAL_MS
    this.#finder.forgetUnused()
    const nowMs = clock.wallMs()
    const forProbe = !station.mayStartPart()
    if (forProbe && !this.#isProbeWanted(nowMs)) return CHECK_INTERVAL_MS
    const gate = station.partGate({ isProbe: forProbe })
    if (gate.kind === 'closed') return CHECK_INTERVAL_MS
    const parallel = settings.transfer.parallel_recordings
    for (const lane of uploadLanes)
      for (const recording of this.#recordingsToOpen(lane, nowMs, parallel, forProbe, gate.only)) {
        this.#jobs.begin(recording.id, this.name, () => this.#open(recording, service, signal), lane.name)
        if (forProbe) return CHECK_INTERVAL_MS
      }
    return journal.work.nextCheckMs('ready', nowMs, CHECK_INTERVAL_MS)
  }

  close(): Promise<void> {
    return this.#jobs.ended()
  }

  #recordingsToOpen(
    { name, sizes, atOnce, openingAtOnce }: UploadLane,
    nowMs: number,
    parallelRecordings: number,
    forProbe: boolean,
    only: readonly number[] | null,
  ): Recording[] {
    const { work } = this.world.journal
    const opening = this.#jobs.count(name)
    const freeRequests = openingAtOnce - opening
    if (freeRequests <= 0) return []
    const freeSlots = atOnce(parallelRecordings) * AHEAD_FACTOR - work.countOpen(nowMs, sizes, only) - opening
    if (freeSlots <= 0 && forProbe) return []
    if (freeSlots > 0)
      return work.due('ready', nowMs, Math.min(freeSlots, freeRequests), this.#jobs.ids, sizes, only)
    return work
      .due('ready', nowMs, 1, this.#jobs.ids, sizes, only)
      .filter((recording) => recording.prioritised)
  }

  /**
   * While the storage fails, Sluice sends only single parts, as probes. True if a probe is due, but no open session can
   * send it, so the opener must open one.
   */
  #isProbeWanted(nowMs: number): boolean {
    const { station, journal } = this.world
    const gate = station.partGate({ isProbe: true })
    if (gate.kind === 'closed') return false
    if (!station.isProbeDue('storage') || this.#jobs.ids.length > 0) return false
    return journal.work.due('uploading', nowMs, 1, [], undefined, gate.only).length === 0
  }

  async #open(recording: Recording, service: ServiceClient, signal: AbortSignal): Promise<void> {
    const { journal } = this.world
    const folder = this.world.folderOf(recording.folder)
    // A recording whose folder was removed from the settings continues only if it may already have a session.
    if (folder === undefined && !mayHaveOwnSession(recording)) {
      holdForRemovedFolder(journal, recording)
      return
    }
    const mayShare = folder?.upload_duplicates !== true
    if (mayShare && (await shareOrWaitForTwin(this.world, recording, service, signal))) return
    if (!(await this.#checkFile(recording))) return
    if (recording.sessionId !== null) {
      journal.recordings.transition(
        recording.id,
        'ready',
        { kind: 'session-opened' },
        { reason: 'continues in its session' },
      )
      return
    }
    if (this.#rehashForNewPartSize(recording, folder)) return
    const intended = await ensureIntent(this.world, recording, folder, service)
    if (intended === null) return
    const request = intended.findSessionFirst
      ? await this.#searchFirst(intended, mayShare, service, signal)
      : intended
    if (request === null) return
    const isRepeated = request.createKey === recording.createKey
    await createSession(this.world, request, service, { signal, isRepeated, startedAtMs: this.#startedAtMs })
  }

  /** Null if a session was adopted, the search failed, the folder was removed, or the recording changed meanwhile. */
  async #searchFirst(
    recording: Recording,
    mayShare: boolean,
    service: ServiceClient,
    signal: AbortSignal,
  ): Promise<Recording | null> {
    const search = { finder: this.#finder, service, mayShare }
    const adopted = await adoptExisting(this.world, recording, search, signal)
    if (!adopted.ok) {
      applyDecision(this.world, { kind: 'recording', recording }, adopted.failure)
      return null
    }
    if (adopted.value !== 'not-there') return null
    if (this.world.folderOf(recording.folder) === undefined) {
      holdForRemovedFolder(this.world.journal, recording)
      return null
    }
    return renewIntentAfterSearch(this.world, recording, service)
  }

  /**
   * If a newer recording has the same path, checks whether the file still belongs to this recording. If not, handles
   * the failure and returns false.
   */
  async #checkFile(recording: Recording): Promise<boolean> {
    if (recording.current) return true
    const found = await this.world.files.identify(recording.path)
    if (found.ok && sameFile(found.value, recording.identity)) return true
    const failure: Failure = found.ok ? { kind: 'file-changed', detail: 'it was replaced' } : found.failure
    applyDecision(this.world, { kind: 'recording', recording }, failure)
    return false
  }

  /**
   * If the service refused the recording and the settings now require a different part size, sends the recording back
   * to the hasher and returns true.
   */
  #rehashForNewPartSize(recording: Recording, folder: FolderSettings | undefined): boolean {
    if (!wasRefused(recording)) return false
    const partSizeBytes = planPartSize(recording.identity.sizeBytes, folder?.part_size_bytes)
    if (partSizeBytes === null || partSizeBytes === recording.partSizeBytes) return false
    this.world.journal.recordings.transition(
      recording.id,
      'ready',
      { kind: 'rehash-needed' },
      { reason: `the settings now require parts of ${partSizeBytes} bytes`, patch: { createBody: null } },
    )
    return true
  }
}
