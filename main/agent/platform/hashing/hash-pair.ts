import type { Worker } from 'node:worker_threads'
import type { ForgetJob, HashJob, PartsAnswer, ReaderAnswer } from './hash-job.ts'
import { createHashRing, type RingView, slotBytes, slotCount, viewRing } from './hash-ring.ts'
import { runOnWorker, startWorker } from './start-worker.ts'

export type PairAnswer = { readonly reader: ReaderAnswer; readonly parts: PartsAnswer }

/**
 * Whether the file has only one part and fits into the ring. Such a file needs no second thread: the digest of the file
 * is also that of the part.
 */
const isOnePart = ({ from, to, partSizeBytes, hashId, isLastRange }: Omit<HashJob, 'ring'>): boolean =>
  hashId === null &&
  isLastRange &&
  from === 0 &&
  to > 0 &&
  to <= Math.min(partSizeBytes, slotBytes * slotCount)

const singlePartAnswer = (reader: ReaderAnswer): PartsAnswer =>
  reader.kind === 'whole' ? { kind: 'parts', sha256: [reader.sha256] } : { kind: 'stopped' }

/** Two threads that hash one file at a time and share its reads. */
export type HashPair = {
  readonly ring: RingView
  /** Rejects if a thread dies. The pair is then unusable. */
  readonly run: (job: Omit<HashJob, 'ring'>) => Promise<PairAnswer>
  /** Drops the hash state with this id. */
  readonly forget: (hashId: number) => void
  readonly dispose: () => Promise<void>
}

export const startHashPair = (): HashPair => {
  const shared = createHashRing()
  const ring = viewRing(shared)
  const start = (name: Parameters<typeof startWorker>[0]): Worker => {
    const worker = startWorker(name)
    // An idle pair must not keep the process alive. For a busy pair, the timer of its queue does that.
    worker.unref()
    // If this thread dies, release the other one, which would otherwise wait forever.
    return worker.on('error', ring.stop).on('exit', ring.stop)
  }
  const first = start('hash-worker')
  let second: Worker | null = null
  const workers = () => (second === null ? [first] : [first, second])

  const run: HashPair['run'] = async (request) => {
    const job: HashJob = { ...request, ring: shared }
    if (isOnePart(job)) {
      const reader = await runOnWorker<ReaderAnswer>(first, job)
      return { reader, parts: singlePartAnswer(reader) }
    }
    second ??= start('part-hash-worker')
    // Wait for both threads even if one fails, because a thread that still runs would corrupt the ring for the next
    // job.
    const [reader, parts] = await Promise.allSettled([
      runOnWorker<ReaderAnswer>(first, job),
      runOnWorker<PartsAnswer>(second, job),
    ])
    if (reader.status === 'rejected') throw reader.reason
    if (parts.status === 'rejected') throw parts.reason
    return { reader: reader.value, parts: parts.value }
  }

  const forget: HashPair['forget'] = (hashId) => {
    for (const worker of workers()) worker.postMessage({ forget: hashId } satisfies ForgetJob)
  }

  const dispose = async (): Promise<void> => {
    ring.stop()
    await Promise.all(workers().map((worker) => worker.terminate()))
  }

  return { ring, run, forget, dispose }
}
