import { setTimeout as sleep } from 'node:timers/promises'
import { done, failed, type Outcome } from '../../domain/failure.ts'
import type { HashRequest, HashResult, HashThreads } from '../../ports.ts'
import type { RangeAnswer, RangeJob } from './hash-job.ts'
import { type HashPair, startHashPair } from './hash-pair.ts'
import { slotBytes } from './hash-ring.ts'
import { askWorker, startWorker } from './start-worker.ts'

const progressEveryMs = 250
/** Two waiting threads hold some 30 MB; starting them again costs less than a tenth of a second. */
const idleThreadsEndMs = 5000
/** A thread stuck in a read of a dead share cannot be ended; leaving must not wait for it. */
const closeWithinMs = 2000

const cancelled = failed({ kind: 'cancelled' })

export type HashPoolOptions = {
  /** Asked four times a second: true while a recorder is writing, so that reading takes half the time at most. */
  readonly shouldYield?: () => boolean
  /** The watched folder that a file has to lie in. */
  readonly rootOf?: (path: string) => string | null
}

/** One file at a time, in the order asked: two files at once would only make one disk seek between them. */
export const createHashPool = ({
  shouldYield = () => false,
  rootOf = () => null,
}: HashPoolOptions = {}): HashThreads => {
  let pair: HashPair | null = null
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined
  const closing = new AbortController()

  const endPair = async (): Promise<void> => {
    const ending = pair
    pair = null
    await ending?.dispose()
  }

  const run = async (request: HashRequest, signal: AbortSignal): Promise<Outcome<HashResult>> => {
    if (signal.aborted) return cancelled
    clearTimeout(idle)
    pair ??= startHashPair()
    const { ring } = pair
    ring.reset()
    ring.setGentle(shouldYield())
    let reportedBytes = 0
    const timer = setInterval(() => {
      ring.setGentle(shouldYield())
      const slots = Math.min(ring.filledSlots(), ring.emptiedSlots())
      const bytesHashed = Math.min(slots * slotBytes, request.identity.sizeBytes)
      if (bytesHashed > reportedBytes && !signal.aborted) request.onProgress(bytesHashed)
      reportedBytes = bytesHashed
    }, progressEveryMs)
    signal.addEventListener('abort', ring.stop, { once: true })
    try {
      return await pair.hash(request, rootOf(request.path))
    } catch (error) {
      void endPair()
      if (signal.aborted) return cancelled
      throw error
    } finally {
      clearInterval(timer)
      signal.removeEventListener('abort', ring.stop)
      idle = setTimeout(endPair, idleThreadsEndMs).unref()
    }
  }

  const hash = (request: HashRequest): Promise<Outcome<HashResult>> => {
    const signal = AbortSignal.any([request.signal, closing.signal])
    const result = last.then(() => run(request, signal))
    last = result.catch(() => {})
    // A caller that gives up is answered at once, even while its read hangs; the next file waits for the threads.
    return unlessAborted(result, signal)
  }

  const digest: HashThreads['digest'] = async (algorithm, path, range) => {
    if (closing.signal.aborted) return cancelled
    // Rare, and not to wait behind a file of hours: a thread of its own each time.
    const worker = startWorker('range-hash-worker')
    const job: RangeJob = { algorithm, path, root: rootOf(path), range }
    try {
      return await unlessAborted(
        askWorker<RangeAnswer>(worker, job).then((answer) =>
          answer.kind === 'digest' ? done(answer.hex) : failed(answer.failure),
        ),
        closing.signal,
      )
    } finally {
      void worker.terminate()
    }
  }

  const close = async (): Promise<void> => {
    closing.abort()
    clearTimeout(idle)
    const ended = last.then(endPair)
    await Promise.race([ended, sleep(closeWithinMs, undefined, { ref: false })])
  }

  return { hash, digest, close }
}

/** Its listener goes with the answer: a signal that is listened to is kept, and there is one for every file. */
const unlessAborted = <T>(work: Promise<Outcome<T>>, signal: AbortSignal): Promise<Outcome<T>> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(cancelled)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
