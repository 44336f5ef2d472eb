import { done, failed, type Outcome } from '../../domain/failure.ts'
import type { HashRequest, HashResult } from '../../ports.ts'
import type { HashJob, PartsAnswer, ReaderAnswer } from './hash-job.ts'
import { createHashRing, type RingView, viewRing } from './hash-ring.ts'
import { askWorker, startWorker } from './start-worker.ts'

/** Two threads over one read of one file at a time. */
export type HashPair = {
  readonly ring: RingView
  /** Rejects when a thread died; the pair is then of no more use. */
  readonly hash: (
    request: Pick<HashRequest, 'path' | 'identity' | 'partSizeBytes'>,
    root: string | null,
  ) => Promise<Outcome<HashResult>>
  readonly dispose: () => Promise<void>
}

export const startHashPair = (): HashPair => {
  const shared = createHashRing()
  const ring = viewRing(shared)
  const workers = [startWorker('hash-worker'), startWorker('part-hash-worker')] as const
  // An idle pair must not keep the process alive; while it works, the pool's timer does.
  for (const worker of workers) {
    worker.unref()
    // The other thread must not wait for ever for one that died.
    worker.on('error', ring.stop).on('exit', ring.stop)
  }

  const hash: HashPair['hash'] = async ({ path, identity, partSizeBytes }, root) => {
    const job: HashJob = { ring: shared, path, root, identity, partSizeBytes }
    // Both are awaited even when one fails: a thread still at work would spoil the next job's ring.
    const [whole, parts] = await Promise.allSettled([
      askWorker<ReaderAnswer>(workers[0], job),
      askWorker<PartsAnswer>(workers[1], job),
    ])
    if (whole.status === 'rejected') throw whole.reason
    if (parts.status === 'rejected') throw parts.reason
    if (whole.value.kind === 'failed') return failed(whole.value.failure)
    if (parts.value.kind === 'stopped') return failed({ kind: 'cancelled' })
    return done({ sha256: whole.value.sha256, partSha256: parts.value.sha256 })
  }

  const dispose = async (): Promise<void> => {
    ring.stop()
    await Promise.all(workers.map((worker) => worker.terminate()))
  }

  return { ring, hash, dispose }
}
