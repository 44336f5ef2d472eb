import type { ForgetJob, HashJob, PartsAnswer, ReaderAnswer } from './hash-job.ts'
import { createHashRing, type RingView, viewRing } from './hash-ring.ts'
import { askWorker, startWorker } from './start-worker.ts'

export type PairAnswer = { readonly reader: ReaderAnswer; readonly parts: PartsAnswer }

/** Two threads over one read of one file at a time. */
export type HashPair = {
  readonly ring: RingView
  /** Rejects when a thread died; the pair is then of no more use. */
  readonly run: (job: Omit<HashJob, 'ring'>) => Promise<PairAnswer>
  /** What was kept for the next stretch of a running hash. */
  readonly forget: (running: number) => void
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

  const run: HashPair['run'] = async (stretch) => {
    const job: HashJob = { ...stretch, ring: shared }
    // Both are awaited even when one fails: a thread still at work would spoil the next job's ring.
    const [reader, parts] = await Promise.allSettled([
      askWorker<ReaderAnswer>(workers[0], job),
      askWorker<PartsAnswer>(workers[1], job),
    ])
    if (reader.status === 'rejected') throw reader.reason
    if (parts.status === 'rejected') throw parts.reason
    return { reader: reader.value, parts: parts.value }
  }

  const forget: HashPair['forget'] = (running) => {
    for (const worker of workers) worker.postMessage({ forget: running } satisfies ForgetJob)
  }

  const dispose = async (): Promise<void> => {
    ring.stop()
    await Promise.all(workers.map((worker) => worker.terminate()))
  }

  return { ring, run, forget, dispose }
}
