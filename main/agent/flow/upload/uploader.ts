import { type UploadLane, uploadLanes } from '../../domain/upload-lane.ts'
import type { Recording } from '../../journal/journal.ts'
import type { ServiceClient } from '../../ports/service.ts'
import { Jobs } from '../../stage/jobs.ts'
import { StageOf } from '../../stage/stage.ts'
import { Upload, type UploadNeeds } from './upload.ts'

const LOOK_MS = 1_000
/** Made once: one that is sent is broken off too, at its end, and an error of its own has a stack each time. */
const NO_LONGER_WANTED = new Error('no longer to be sent')

/** Sends what is missing of recordings whose session is open: a few at a time, their parts over shared slots. */
export class Uploader extends StageOf<UploadNeeds | 'guard' | 'service' | 'settings' | 'wake'> {
  readonly name = 'uploader'
  /** And where one goes that is no longer to be sent: what is under way of it is broken off. */
  readonly takes = ['uploading', 'growing', 'queued', 'gone'] as const
  readonly #jobs = new Jobs(this.world, 'uploading')
  /** Recordings whose upload probes a storage in trouble. */
  readonly #probes = new Set<number>()
  readonly #aborts = new Map<number, AbortController>()

  async step(): Promise<number> {
    const { journal, station, clock } = this.world
    const settings = this.world.settings()
    const service = this.world.service()
    const isProbe = station.code('storage') !== null
    const gate = station.partGate({ isProbe })
    const mustStop = gate.kind === 'closed' && gate.partsInFlight === 'stop'
    if (settings === null || service === null || mustStop) {
      for (const abort of this.#aborts.values()) abort.abort(NO_LONGER_WANTED)
      return LOOK_MS
    }
    const wanted = journal.work.areIn('uploading', [...this.#aborts.keys()])
    for (const [id, abort] of this.#aborts) if (!wanted.has(id)) abort.abort(NO_LONGER_WANTED)
    if (gate.kind === 'closed') return LOOK_MS
    // One probe at a time. It counts once its part starts, so a file that cannot be read does not use up the probe.
    if (isProbe && (!station.probeDue('storage') || this.#probes.size > 0)) return LOOK_MS
    for (const lane of uploadLanes) {
      const most = lane.atOnce(settings.transfer.parallel_recordings)
      // No more than could be begun: with every change of every part these are asked for again.
      const room = most + 1 - this.#jobs.count(lane.name)
      const due = journal.work.due('uploading', clock.wallMs(), room, this.#jobs.ids, lane.sizes)
      for (const recording of due) {
        // An urgent one does not wait for a slot among recordings: the parts' slots put it first.
        if (this.#jobs.count(lane.name) >= most + Number(recording.urgent)) continue
        this.#begin(recording, service, lane, isProbe)
        if (isProbe) return LOOK_MS
      }
    }
    return LOOK_MS
  }

  async close(): Promise<void> {
    for (const abort of this.#aborts.values()) abort.abort(NO_LONGER_WANTED)
    await this.#jobs.ended()
  }

  #begin(recording: Recording, service: ServiceClient, lane: UploadLane, isProbe: boolean): void {
    const abort = new AbortController()
    this.#aborts.set(recording.id, abort)
    if (isProbe) this.#probes.add(recording.id)
    const upload = async () => {
      try {
        await new Upload(recording, service, this.world, { signal: abort.signal, isProbe }).run()
      } finally {
        this.#aborts.delete(recording.id)
        this.#probes.delete(recording.id)
        this.world.progress.forget(recording.id)
      }
    }
    this.#jobs.begin(recording.id, 'an upload', upload, lane.name)
  }
}
