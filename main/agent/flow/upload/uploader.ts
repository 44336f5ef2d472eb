import { type UploadLane, uploadLanes } from '../../domain/upload-lane.ts'
import type { Recording } from '../../journal/journal.ts'
import type { ServiceClient } from '../../ports/service.ts'
import { Jobs } from '../../stage/jobs.ts'
import { StageOf } from '../../stage/stage.ts'
import { Upload, type UploadNeeds } from './upload.ts'

const CHECK_INTERVAL_MS = 1_000
/** One shared error: creating a stack trace for each abort would be wasteful. */
const UPLOAD_CANCELLED = new Error('the upload was cancelled')

/** Sends the missing parts of recordings with an open session: a few recordings at a time, over shared part slots. */
export class Uploader extends StageOf<UploadNeeds | 'guard' | 'service' | 'settings' | 'wake'> {
  readonly name = 'uploader'
  /** Wakes on the last three states to cancel the upload of a file that has changed or vanished. */
  readonly states = ['uploading', 'growing', 'queued', 'gone'] as const
  readonly #jobs = new Jobs(this.world, 'uploading')
  /** Recordings whose upload probes a failing storage. */
  readonly #probes = new Set<number>()
  readonly #controllers = new Map<number, AbortController>()

  async step(): Promise<number> {
    const { journal, station, clock } = this.world
    const settings = this.world.settings()
    const service = this.world.service()
    const isProbe = station.code('storage') !== null
    const gate = station.partGate({ isProbe })
    const mustStop = gate.kind === 'closed' && gate.partsInFlight === 'stop'
    if (settings === null || service === null || mustStop) {
      this.#cancelAll()
      return CHECK_INTERVAL_MS
    }
    const uploadingIds = journal.work.idsIn('uploading', [...this.#controllers.keys()])
    for (const [id, controller] of this.#controllers)
      if (!uploadingIds.has(id) || this.#mustStop(id)) controller.abort(UPLOAD_CANCELLED)
    if (gate.kind === 'closed') return CHECK_INTERVAL_MS
    // Only one probe runs at a time. A probe is used up only when a part starts, so an unreadable file does not waste
    // it.
    if (isProbe && (!station.isProbeDue('storage') || this.#probes.size > 0)) return CHECK_INTERVAL_MS
    for (const lane of uploadLanes) {
      const maxUploads = lane.atOnce(settings.transfer.parallel_recordings)
      // Fetch only as many rows as can start now: this query runs on every change of every part.
      const limit = maxUploads + 1 - this.#jobs.count(lane.name)
      const dueRecordings = journal.work.due(
        'uploading',
        clock.wallMs(),
        limit,
        this.#jobs.ids,
        lane.sizes,
        gate.only,
      )
      for (const recording of dueRecordings) {
        // One prioritised recording may exceed the limit. Its parts get the next free slots.
        if (this.#jobs.count(lane.name) >= maxUploads + Number(recording.prioritised)) continue
        this.#start(recording, service, lane, isProbe)
        if (isProbe) return CHECK_INTERVAL_MS
      }
    }
    return CHECK_INTERVAL_MS
  }

  /** Outside the upload hours, an upload continues only if a user requested it. */
  #mustStop(recordingId: number): boolean {
    const gate = this.world.station.partGate({ recordingId })
    return gate.kind === 'closed' && gate.partsInFlight === 'stop'
  }

  async close(): Promise<void> {
    this.#cancelAll()
    await this.#jobs.ended()
  }

  #cancelAll(): void {
    for (const controller of this.#controllers.values()) controller.abort(UPLOAD_CANCELLED)
  }

  #start(recording: Recording, service: ServiceClient, lane: UploadLane, isProbe: boolean): void {
    const controller = new AbortController()
    this.#controllers.set(recording.id, controller)
    if (isProbe) this.#probes.add(recording.id)
    const upload = async () => {
      try {
        await new Upload(recording, service, this.world, { signal: controller.signal, isProbe }).run()
      } finally {
        this.#controllers.delete(recording.id)
        this.#probes.delete(recording.id)
        this.world.progress.forget(recording.id)
      }
    }
    this.#jobs.begin(recording.id, 'an upload', upload, lane.name)
  }
}
