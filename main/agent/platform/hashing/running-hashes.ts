import { done, type Failure, failed, type Outcome } from '../../domain/failure.ts'
import { type FileIdentity, hasOnlyGrown } from '../../domain/file-identity.ts'
import type { Advance, HashResult, RunningHashes } from '../../ports/hashing.ts'
import { DriveCalls } from '../files/drive-calls.ts'
import type { PairAnswer } from './hash-pair.ts'
import { digestsOf, type HashPoolOptions } from './hash-pool.ts'
import { slotBytes } from './hash-ring.ts'
import { PairQueue } from './pair-queue.ts'

type Progress = { readonly partSizeBytes: number; readonly bytes: number; readonly identity: FileIdentity }

const temporaryFailures: ReadonlySet<Failure['kind']> = new Set([
  'file-busy',
  'file-vanished',
  'file-unreadable',
])

/**
 * Hashes files while they grow, on a separate pair of threads, one range at a time. After a crash, Sluice hashes the
 * file from the start, because Node cannot export the hash state. Saved part digests would not help: the digest of the
 * file would still need a full read.
 */
export const createRunningHashes = ({
  shouldYield = () => false,
  rootOf = () => null,
  calls = new DriveCalls(),
}: HashPoolOptions = {}): RunningHashes => {
  const progressById = new Map<number, Progress>()
  const queue = new PairQueue({
    shouldYield,
    calls,
    isNeeded: () => progressById.size > 0,
    onEnded: () => progressById.clear(),
  })

  const forget = (id: number): void => {
    if (progressById.delete(id)) queue.forget(id)
  }

  const applyAnswer = (
    id: number,
    to: number,
    partSizeBytes: number,
    answer: PairAnswer,
  ): Outcome<Advance> => {
    const { reader, parts } = answer
    if (reader.kind === 'advanced' && parts.kind === 'parts') {
      progressById.set(id, { partSizeBytes, bytes: to, identity: reader.identity })
      return done({ kind: 'advanced', bytes: to })
    }
    // Keep the state: the hash continues when the file can be opened again.
    if (reader.kind === 'failed' && temporaryFailures.has(reader.failure.kind)) return failed(reader.failure)
    forget(id)
    return done({ kind: 'lost', rewritten: reader.kind === 'stale' && reader.rewritten })
  }

  const advance: RunningHashes['advance'] = async (request) => {
    const { id, path, identity, partSizeBytes, toBytes, signal } = request
    // Check this even if there is nothing to read, because a truncated file may have its old size again at the next
    // scan.
    const previous = progressById.get(id)
    if (previous !== undefined && !hasOnlyGrown(previous.identity, identity)) {
      forget(id)
      return done({ kind: 'lost', rewritten: false })
    }
    // The next range must begin at a whole slot.
    const to = Math.floor(toBytes / slotBytes) * slotBytes
    return queue.run<Advance>(
      {
        job: () => {
          if (progressById.get(id)?.partSizeBytes !== partSizeBytes) forget(id)
          const progress = progressById.get(id)
          const from = progress?.bytes ?? 0
          if (to <= from) return null
          const range = { path, root: rootOf(path), partSizeBytes, from, to, hashId: id, isLastRange: false }
          return { ...range, identity: progress?.identity ?? identity }
        },
        signal,
      },
      (answer) =>
        answer === null
          ? done({ kind: 'advanced', bytes: progressById.get(id)?.bytes ?? 0 })
          : applyAnswer(id, to, partSizeBytes, answer),
    )
  }

  const finish: RunningHashes['finish'] = ({ id, path, identity, partSizeBytes, onProgress, signal }) => {
    let from = 0
    return queue.run<HashResult | null>(
      {
        job: () => {
          const progress = progressById.get(id)
          if (progress === undefined || progress.partSizeBytes !== partSizeBytes) return null
          // If the file is shorter than its hashed range, it was truncated.
          if (!hasOnlyGrown(progress.identity, identity) || identity.sizeBytes < progress.bytes) return null
          from = progress.bytes
          const to = identity.sizeBytes
          const range = { path, root: rootOf(path), partSizeBytes, from, to, hashId: id, isLastRange: true }
          return { ...range, identity }
        },
        onSlots: (slots) => onProgress(Math.min(from + slots * slotBytes, identity.sizeBytes)),
        signal,
      },
      (answer) => {
        if (answer === null || answer.reader.kind === 'stale') return done(null)
        const digests = digestsOf(answer)
        // `cancelled` may mean that a thread has lost its hash state. An aborted caller needs no answer.
        return !digests.ok && digests.failure.kind === 'cancelled' ? done(null) : digests
      },
    )
  }

  return {
    advance,
    finish,
    partSizeOf: (id) => progressById.get(id)?.partSizeBytes ?? null,
    bytesOf: (id) => progressById.get(id)?.bytes ?? 0,
    ids: () => [...progressById.keys()],
    forget,
    close: () => queue.close(),
  }
}
