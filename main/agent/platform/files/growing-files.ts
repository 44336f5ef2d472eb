import type { FileIdentity } from '../../domain/file-identity.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FoundFile } from '../../ports/folders.ts'

/** Recorders write to a few files at a time, so Sluice checks at most this many. */
const MAX_FILES = 64
const NEWEST_PER_SCAN = 8
/** Sluice stops checking a file after this long without a change: it is finished, or its recorder is very slow. */
const FORGET_AFTER_MS = 60_000

/** A file counts as growing for this long after a change: recorders write in bursts, with pauses of seconds. */
const GROWING_FOR_MS = 10_000

type FileState = {
  readonly sizeBytes: number
  readonly mtimeNs: string
  readonly changedAtMs: number
  /** False until a check sees a change. The first check only stores the size and time. */
  readonly hasGrown: boolean
}

/**
 * Finds the files that a program writes now, on systems that do not list writers. `paths` checks the files with recent
 * events and the newest files of each scan. It returns those that changed in the last seconds.
 */
export const createGrowingFiles = (
  identify: (path: string) => Promise<FileIdentity | null>,
  clock: Pick<Clock, 'monotonicMs'>,
) => {
  const files = new Map<string, FileState | null>()

  const note = (path: string): void => {
    const state = files.get(path) ?? null
    files.delete(path)
    files.set(path, state)
    const [oldest] = files.keys()
    if (files.size > MAX_FILES && oldest !== undefined) files.delete(oldest)
  }

  /**
   * Picks the newest files without sorting all files. Sorting 100,000 files at every scan would block the event loop
   * for most of a second.
   */
  const noteScan = (found: readonly FoundFile[]): void => {
    const newest: { readonly path: string; readonly mtimeNs: bigint }[] = []
    for (const { path, identity } of found) {
      const mtimeNs = BigInt(identity.mtimeNs)
      const olderIndex = newest.findIndex((file) => file.mtimeNs < mtimeNs)
      if (olderIndex === -1 && newest.length === NEWEST_PER_SCAN) continue
      newest.splice(olderIndex === -1 ? newest.length : olderIndex, 0, { path, mtimeNs })
      newest.length = Math.min(newest.length, NEWEST_PER_SCAN)
    }
    for (const { path } of newest) note(path)
  }

  const isGrowing = async (path: string, before: FileState | null): Promise<boolean> => {
    const nowMs = clock.monotonicMs()
    const now = await identify(path)
    if (now === null || !files.has(path)) {
      files.delete(path)
      return false
    }
    const { sizeBytes, mtimeNs } = now
    if (before?.sizeBytes !== sizeBytes || before.mtimeNs !== mtimeNs) {
      files.set(path, { sizeBytes, mtimeNs, changedAtMs: nowMs, hasGrown: before !== null })
      return before !== null
    }
    if (nowMs - before.changedAtMs > FORGET_AFTER_MS) files.delete(path)
    return before.hasGrown && nowMs - before.changedAtMs < GROWING_FOR_MS
  }

  const paths = async (): Promise<readonly string[]> => {
    const growing: string[] = []
    for (const [path, before] of [...files]) if (await isGrowing(path, before)) growing.push(path)
    return growing
  }

  return { note, noteScan, paths }
}
