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
  /** By recording: what is under way to try a storage in trouble. */
  readonly #trials = new Set<number>()
  readonly #aborts = new Map<number, AbortController>()

  async step(): Promise<number> {
    const { journal, station, clock } = this.world
    const settings = this.world.settings()
    const service = this.world.service()
    // A pause is for now. Other trouble lets parts that are on their way arrive: they are paid for.
    if (settings === null || service === null || !station.wantsUploads()) {
      for (const abort of this.#aborts.values()) abort.abort(NO_LONGER_WANTED)
      return LOOK_MS
    }
    const wanted = journal.work.areIn('uploading', [...this.#aborts.keys()])
    for (const [id, abort] of this.#aborts) if (!wanted.has(id)) abort.abort(NO_LONGER_WANTED)
    if (!station.mayAsk()) return LOOK_MS
    const trial = station.code('storage') !== null
    // One at a time. It counts as asked once a part goes: what cannot be read takes nobody else's turn to ask.
    if (trial && (!station.probeDue('storage') || this.#trials.size > 0)) return LOOK_MS
    for (const lane of uploadLanes) {
      const most = lane.atOnce(settings.transfer.parallel_recordings)
      // No more than could be begun: with every change of every part these are asked for again.
      const room = most + 1 - this.#jobs.count(lane.name)
      const due = journal.work.due('uploading', clock.wallMs(), room, this.#jobs.ids, lane.sizes)
      for (const recording of due) {
        // An urgent one does not wait for a slot among recordings: the parts' slots put it first.
        if (this.#jobs.count(lane.name) >= most + Number(recording.urgent)) continue
        this.#begin(recording, service, lane, trial)
        if (trial) return LOOK_MS
      }
    }
    return LOOK_MS
  }

  async close(): Promise<void> {
    for (const abort of this.#aborts.values()) abort.abort(NO_LONGER_WANTED)
    await this.#jobs.ended()
  }

  #begin(recording: Recording, service: ServiceClient, lane: UploadLane, trial: boolean): void {
    const abort = new AbortController()
    this.#aborts.set(recording.id, abort)
    if (trial) this.#trials.add(recording.id)
    const upload = async () => {
      try {
        await new Upload(recording, service, this.world, { signal: abort.signal, trial }).run()
      } finally {
        this.#aborts.delete(recording.id)
        this.#trials.delete(recording.id)
        this.world.progress.forget(recording.id)
      }
    }
    this.#jobs.begin(recording.id, 'an upload', upload, lane.name)
  }
}
