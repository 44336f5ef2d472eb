import { parentPort } from 'node:worker_threads'
import type { ForgetJob, HashJob } from './hash-job.ts'

/** The hash states of the files that a thread hashes range by range. */
export class RunningDigests<Digest extends { readonly position: number }> {
  readonly #begin: (partSizeBytes: number) => Digest
  readonly #digests = new Map<number, Digest>()

  constructor(begin: (partSizeBytes: number) => Digest) {
    this.#begin = begin
  }

  /** Null if the state does not end where this range begins. */
  of({ from, hashId, partSizeBytes }: HashJob): Digest | null {
    if (from === 0) return this.#begin(partSizeBytes)
    const digest = hashId === null ? undefined : this.#digests.get(hashId)
    return digest?.position === from ? digest : null
  }

  keep({ hashId }: HashJob, digest: Digest): void {
    if (hashId !== null) this.#digests.set(hashId, digest)
  }

  forget(hashId: number | null): void {
    if (hashId !== null) this.#digests.delete(hashId)
  }
}

/** Answers each job once, in order. A `forget` message has no answer. */
export const serveJobs = <Digest extends { readonly position: number }>(
  digests: RunningDigests<Digest>,
  run: (job: HashJob) => unknown,
): void => {
  parentPort?.on('message', (job: HashJob | ForgetJob) => {
    if ('forget' in job) digests.forget(job.forget)
    else parentPort?.postMessage(run(job))
  })
}
