import { done, failed, type Outcome } from '../../domain/failure.ts'
import type { HashRequest, HashResult, HashThreads } from '../../ports/hashing.ts'
import { DriveCalls, DriveTimeoutError } from '../files/drive-calls.ts'
import { fileFailure } from '../files/file-failure.ts'
import type { RangeAnswer, RangeJob } from './hash-job.ts'
import type { PairAnswer } from './hash-pair.ts'
import { slotBytes } from './hash-ring.ts'
import { cancelled, PairQueue, unlessAborted } from './pair-queue.ts'
import { hashSmall, SMALL_FILE_BYTES } from './small-hash.ts'
import { runOnWorker, startWorker } from './start-worker.ts'

/** At 1 MB/s, reading a part of 512 MB takes less time than this. A longer read fails with a drive timeout. */
const RANGE_TIMEOUT_MS = 600_000

export type HashPoolOptions = {
  /** Called four times a second during a hash. Returns true while a recorder is writing, so that reads yield. */
  readonly shouldYield?: () => boolean
  /** The state of Sluice's own copies to a drive, from `own-copies.ts`. */
  readonly ownCopies?: (device: string) => number
  /** The watched folder that must contain the file at this path. Null: no check. */
  readonly rootOf?: (path: string) => string | null
  readonly calls?: DriveCalls
  /** A drive counts as hung after this many checks without progress. Sluice checks every 250 ms. */
  readonly hungAfterTicks?: number
}

export const digestsOf = ({ reader, parts }: PairAnswer): Outcome<HashResult> => {
  if (reader.kind === 'failed') return failed(reader.failure)
  if (reader.kind !== 'whole' || parts.kind === 'stopped') return cancelled
  return done({ sha256: reader.sha256, partSha256: parts.sha256 })
}

/**
 * Hashes one file at a time, in order, because a disk that reads two files at a time spends its time seeking between
 * them. Only the files for `small-hash.ts` skip this queue.
 */
export const createHashPool = ({
  shouldYield = () => false,
  rootOf = () => null,
  calls = new DriveCalls(),
  hungAfterTicks,
  ownCopies,
}: HashPoolOptions = {}): HashThreads => {
  const queue = new PairQueue({ shouldYield, ownCopies, hungAfterTicks, calls })

  const hash = (request: HashRequest) => {
    const { path, identity, partSizeBytes, onProgress, signal } = request
    if (identity.sizeBytes > 0 && identity.sizeBytes <= Math.min(SMALL_FILE_BYTES, partSizeBytes))
      return unlessAborted(hashSmall(request, rootOf(path), calls), AbortSignal.any([signal, queue.closing]))
    let reportedBytes = 0
    return queue.run(
      {
        job: () => ({
          path,
          root: rootOf(path),
          identity,
          partSizeBytes,
          from: 0,
          to: identity.sizeBytes,
          hashId: null,
          isLastRange: true,
        }),
        onSlots: (slots) => {
          const bytesHashed = Math.min(slots * slotBytes, identity.sizeBytes)
          if (bytesHashed > reportedBytes) onProgress(bytesHashed)
          reportedBytes = bytesHashed
        },
        signal,
      },
      (answer) => (answer === null ? cancelled : digestsOf(answer)),
    )
  }

  const digest: HashThreads['digest'] = async (algorithm, path, range) => {
    if (queue.closing.aborted) return cancelled
    const root = rootOf(path)
    if (calls.isHung(root)) return failed(fileFailure(new DriveTimeoutError()))
    // Each request for the digest of a range starts a thread. Such requests are rare, and must not wait for a file that
    // takes hours.
    const worker = startWorker('range-hash-worker')
    const job: RangeJob = { algorithm, path, root, range }
    const digestOutcome = runOnWorker<RangeAnswer>(worker, job).then((answer) =>
      answer.kind === 'digest' ? done(answer.hex) : failed(answer.failure),
    )
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<Outcome<string>>((resolve) => {
      timer = setTimeout(() => {
        calls.addHungWork(root, worker.terminate())
        resolve(failed(fileFailure(new DriveTimeoutError())))
      }, RANGE_TIMEOUT_MS)
    })
    try {
      return await unlessAborted(Promise.race([digestOutcome, timeout]), queue.closing)
    } finally {
      clearTimeout(timer)
      digestOutcome.catch(() => {})
      void worker.terminate()
    }
  }

  return { hash, digest, close: () => queue.close() }
}
