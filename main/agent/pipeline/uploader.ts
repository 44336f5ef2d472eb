import type { Recording } from '../journal/journal.ts'
import type { ServiceClient } from '../ports.ts'
import { StageOf } from '../running/stage.ts'
import { Upload } from '../upload/upload.ts'

const LOOK_MS = 1_000
const AFTER_A_BUG_MS = 10_000

type Job = { readonly abort: AbortController; readonly ended: Promise<void> }

/** Sends what is missing of recordings whose session is open: a few at a time, their parts over shared slots. */
export class Uploader extends StageOf<
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
  | 'guard'
  | 'service'
  | 'settings'
  | 'wake'
> {
  readonly name = 'uploader'
  readonly #jobs = new Map<number, Job>()

  async step(): Promise<number> {
    const { journal, station } = this.world
    const settings = this.world.settings()
    const service = this.world.service()
    // A pause is for now. Other trouble lets parts that are on their way arrive: they are paid for.
    if (settings === null || service === null || !station.wantsUploads()) {
      for (const job of this.#jobs.values()) job.abort.abort()
      return LOOK_MS
    }
    for (const [id, job] of this.#jobs) {
      const recording = journal.recordings.byId(id)
      if (recording?.state !== 'uploading' || recording.paused) job.abort.abort()
    }
    if (!station.mayAsk()) return LOOK_MS
    const trial = station.code('storage') !== null
    if (trial && !station.probeDue('storage')) return LOOK_MS
    const { parallel_recordings } = settings.transfer
    const due = journal.work.due(['uploading'], parallel_recordings + 1, [...this.#jobs.keys()])
    for (const recording of trial ? due.slice(0, 1) : due) {
      // An urgent one does not wait for a slot among recordings: the parts' slots put it first.
      if (this.#jobs.size >= parallel_recordings + Number(recording.urgent)) continue
      if (trial) station.probing('storage')
      this.#begin(recording, service, trial)
    }
    return LOOK_MS
  }

  async close(): Promise<void> {
    for (const job of this.#jobs.values()) job.abort.abort()
    await Promise.all([...this.#jobs.values()].map((job) => job.ended))
  }

  #begin(recording: Recording, service: ServiceClient, trial: boolean): void {
    const abort = new AbortController()
    const ended = new Upload(recording, service, this.world, { signal: abort.signal, trial })
      .run()
      .catch((error: unknown) => {
        this.world.guard('an upload', () => {
          throw error
        })
        this.world.guard('an upload', () =>
          this.world.journal.recordings.patch(recording.id, {
            nextAttemptAtMs: this.world.clock.wallMs() + AFTER_A_BUG_MS,
          }),
        )
      })
      .finally(() => {
        this.#jobs.delete(recording.id)
        this.world.progress.forget(recording.id)
        this.world.wake()
      })
    this.#jobs.set(recording.id, { abort, ended })
  }
}
