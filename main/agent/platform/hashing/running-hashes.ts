import { done, type Failure, failed, type Outcome } from '../../domain/failure.ts'
import { continues, type FileIdentity } from '../../domain/file-identity.ts'
import type { Advance, HashResult, RunningHashes } from '../../ports/hashing.ts'
import { DriveCalls } from '../files/drive-calls.ts'
import type { PairAnswer } from './hash-pair.ts'
import { digestsOf, type HashPoolOptions } from './hash-pool.ts'
import { slotBytes } from './hash-ring.ts'
import { PairQueue } from './pair-queue.ts'

type SoFar = { readonly partSizeBytes: number; readonly bytes: number; readonly identity: FileIdentity }

const mayComeBack: ReadonlySet<Failure['kind']> = new Set(['file-busy', 'file-vanished', 'file-unreadable'])

/**
 * Hashes that go on as their files grow, in threads of their own: one pair serves them all, a stretch at a time. Only
 * the threads know what a hash has come to, since a hash cannot be written down; a kill forgets it, and the file is
 * then read from its beginning like any other. Part digests could be kept, but the whole has to be read again all
 * the same, and each would be one more flush on the disk that the recorder needs.
 */
export const createRunningHashes = ({
  shouldYield = () => false,
  rootOf = () => null,
  calls = new DriveCalls(),
}: HashPoolOptions = {}): RunningHashes => {
  const known = new Map<number, SoFar>()
  const queue = new PairQueue({
    shouldYield,
    calls,
    isNeeded: () => known.size > 0,
    onEnded: () => known.clear(),
  })

  const forget = (id: number): void => {
    if (known.delete(id)) queue.forget(id)
  }

  const advanced = (id: number, to: number, partSizeBytes: number, answer: PairAnswer): Outcome<Advance> => {
    const { reader, parts } = answer
    if (reader.kind === 'advanced' && parts.kind === 'parts') {
      known.set(id, { partSizeBytes, bytes: to, identity: reader.identity })
      return done({ kind: 'advanced', bytes: to })
    }
    // A file that could not be opened just now, or has another name, goes on where it was: the threads know whether
    // they are still there.
    if (reader.kind === 'failed' && mayComeBack.has(reader.failure.kind)) return failed(reader.failure)
    forget(id)
    return done({ kind: 'lost', rewritten: reader.kind === 'stale' && reader.rewritten })
  }

  const advance: RunningHashes['advance'] = async (request) => {
    const { id, path, identity, partSizeBytes, toBytes, signal } = request
    // Also where nothing is to be read: what was cut off may have grown back by the next look.
    const before = known.get(id)
    if (before !== undefined && !continues(before.identity, identity)) {
      forget(id)
      return done({ kind: 'lost', rewritten: false })
    }
    // Stretches begin at whole slots: only a file's end may be shorter.
    const to = Math.floor(toBytes / slotBytes) * slotBytes
    return queue.run<Advance>(
      {
        job: () => {
          if (known.get(id)?.partSizeBytes !== partSizeBytes) forget(id)
          const soFar = known.get(id)
          const from = soFar?.bytes ?? 0
          if (to <= from) return null
          const stretch = { path, root: rootOf(path), partSizeBytes, from, to, running: id, ends: false }
          return { ...stretch, identity: soFar?.identity ?? identity }
        },
        signal,
      },
      (answer) =>
        answer === null
          ? done({ kind: 'advanced', bytes: known.get(id)?.bytes ?? 0 })
          : advanced(id, to, partSizeBytes, answer),
    )
  }

  const finish: RunningHashes['finish'] = ({ id, path, identity, partSizeBytes, onProgress, signal }) => {
    let from = 0
    return queue.run<HashResult | null>(
      {
        job: () => {
          const soFar = known.get(id)
          if (soFar === undefined || soFar.partSizeBytes !== partSizeBytes) return null
          // What ends before what was hashed was cut off; nothing of it is of use.
          if (!continues(soFar.identity, identity) || identity.sizeBytes < soFar.bytes) return null
          from = soFar.bytes
          const to = identity.sizeBytes
          return { path, root: rootOf(path), identity, partSizeBytes, from, to, running: id, ends: true }
        },
        onSlots: (slots) => onProgress(Math.min(from + slots * slotBytes, identity.sizeBytes)),
        signal,
      },
      (answer) => {
        if (answer === null || answer.reader.kind === 'stale') return done(null)
        const digests = digestsOf(answer)
        // Whoever gave up has his answer already: the threads have lost what they had of it.
        return !digests.ok && digests.failure.kind === 'cancelled' ? done(null) : digests
      },
    )
  }

  return {
    advance,
    finish,
    partSizeOf: (id) => known.get(id)?.partSizeBytes ?? null,
    bytesOf: (id) => known.get(id)?.bytes ?? 0,
    ids: () => [...known.keys()],
    forget,
    close: () => queue.close(),
  }
}
