import type { Settings } from '../../../shared/settings.ts'
import type { Recording } from '../journal/journal.ts'
import type { ServiceClient } from '../ports.ts'
import { Upload, type UploadDependencies } from '../upload/upload.ts'

const LOOK_MS = 1_000
const AFTER_A_BUG_MS = 10_000

type Dependencies = UploadDependencies & {
  /** For what happens between two steps: a full disk met there is handled like one met in a step. */
  readonly guard: (stage: string, work: () => void) => void
  readonly service: () => ServiceClient | null
  readonly settings: () => Settings | null
  readonly wake: () => void
}

type Job = { readonly abort: AbortController; readonly ended: Promise<void>; readonly urgent: boolean }

/** Sends what is missing of recordings whose session is open: a few at a time, their parts over shared slots. */
export class Uploader {
  readonly name = 'uploader'
  readonly #deps: Dependencies
  readonly #jobs = new Map<number, Job>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  async step(): Promise<number> {
    const { journal, gate } = this.#deps
    const settings = this.#deps.settings()
    const service = this.#deps.service()
    if (settings === null || service === null || !gate.mayUpload()) {
      for (const job of this.#jobs.values()) job.abort.abort()
      return LOOK_MS
    }
    for (const [id, job] of this.#jobs) {
      const recording = journal.recordings.byId(id)
      if (recording?.state !== 'uploading' || recording.paused) job.abort.abort()
    }
    const due = journal.work.due(['uploading'], settings.transfer.parallel_recordings + 1, [
      ...this.#jobs.keys(),
    ])
    for (const recording of due) {
      // An urgent one does not wait for a slot among recordings: the parts' slots put it first.
      const most = settings.transfer.parallel_recordings + Number(recording.urgent)
      if (this.#jobs.size < most) this.#begin(recording, service)
    }
    return LOOK_MS
  }

  async close(): Promise<void> {
    for (const job of this.#jobs.values()) job.abort.abort()
    await Promise.all([...this.#jobs.values()].map((job) => job.ended))
  }

  #begin(recording: Recording, service: ServiceClient): void {
    const abort = new AbortController()
    const ended = new Upload(recording, service, this.#deps, abort.signal)
      .run()
      .catch((error: unknown) => {
        this.#deps.guard('an upload', () => {
          throw error
        })
        this.#deps.guard('an upload', () =>
          this.#deps.journal.recordings.patch(recording.id, {
            nextAttemptAtMs: this.#deps.clock.wallMs() + AFTER_A_BUG_MS,
          }),
        )
      })
      .finally(() => {
        this.#jobs.delete(recording.id)
        this.#deps.progress.forget(recording.id)
        this.#deps.wake()
      })
    this.#jobs.set(recording.id, { abort, ended, urgent: recording.urgent })
  }
}
