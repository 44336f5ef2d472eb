import { done, failed, type Outcome } from '../../domain/failure.ts'
import type { HashRequest, HashResult, HashThreads } from '../../ports/hashing.ts'
import { DriveCalls, DriveSilentError } from '../files/drive-calls.ts'
import { fileFailure } from '../files/file-failure.ts'
import type { RangeAnswer, RangeJob } from './hash-job.ts'
import type { PairAnswer } from './hash-pair.ts'
import { slotBytes } from './hash-ring.ts'
import { cancelled, PairQueue, unlessAborted } from './pair-queue.ts'
import { hashSmall, smallBytes } from './small-hash.ts'
import { askWorker, startWorker } from './start-worker.ts'

/** A part of 512 MB at 1 MB/s; a drive that takes longer does not answer. */
const longestRangeMs = 600_000

export type HashPoolOptions = {
  /** Asked four times a second: true while a recorder is writing, so that reading yields. */
  readonly shouldYield?: () => boolean
  /** What own-copies.ts says of a drive. */
  readonly ownCopies?: (device: string) => number
  /** The watched folder that a file has to lie in. */
  readonly rootOf?: (path: string) => string | null
  readonly calls?: DriveCalls
  /** After so many looks of a quarter of a second a drive counts as silent. */
  readonly silentLooks?: number
}

/** The digests of a file that was read to its end. */
export const digestsOf = ({ reader, parts }: PairAnswer): Outcome<HashResult> => {
  if (reader.kind === 'failed') return failed(reader.failure)
  if (reader.kind !== 'whole' || parts.kind === 'stopped') return cancelled
  return done({ sha256: reader.sha256, partSha256: parts.sha256 })
}

/** One file at a time, in the order asked: two files at once would only make one disk seek between them. */
export const createHashPool = ({
  shouldYield = () => false,
  rootOf = () => null,
  calls = new DriveCalls(),
  silentLooks,
  ownCopies,
}: HashPoolOptions = {}): HashThreads => {
  const queue = new PairQueue({ shouldYield, ownCopies, silentLooks, calls })

  const hash = (request: HashRequest) => {
    const { path, identity, partSizeBytes, onProgress, signal } = request
    if (identity.sizeBytes > 0 && identity.sizeBytes <= Math.min(smallBytes, partSizeBytes))
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
          running: null,
          ends: true,
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
    // Rare, and not to wait behind a file of hours: a thread of its own each time.
    const worker = startWorker('range-hash-worker')
    const job: RangeJob = { algorithm, path, root: rootOf(path), range }
    const hashed = askWorker<RangeAnswer>(worker, job).then((answer) =>
      answer.kind === 'digest' ? done(answer.hex) : failed(answer.failure),
    )
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise<Outcome<string>>((resolve) => {
      timer = setTimeout(() => resolve(failed(fileFailure(new DriveSilentError()))), longestRangeMs)
    })
    try {
      return await unlessAborted(Promise.race([hashed, silence]), queue.closing)
    } finally {
      clearTimeout(timer)
      hashed.catch(() => {})
      void worker.terminate()
    }
  }

  return { hash, digest, close: () => queue.close() }
}
