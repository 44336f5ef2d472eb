import type { FileIdentity } from '../../domain/file-identity.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FoundFile } from '../../ports/folders.ts'

/** A recorder writes to a handful of files; the others are only looked at in vain. */
const mostFiles = 64
const newestOfScan = 8
/** A file that stood still for so long has no recorder any more, or a very slow one. */
const forgetAfterMs = 60_000

/** Recorders write in bursts. */
const growsForMs = 10_000

type Seen = {
  readonly sizeBytes: number
  readonly mtimeNs: string
  readonly changedAtMs: number
  /** The first look at a file only remembers it. */
  readonly hasGrown: boolean
}

/**
 * Which files are being written, where the system has no list of writers: those that are announced or among the newest
 * of their folder, and that were seen to change within the last seconds.
 */
export const createGrowingFiles = (
  identify: (path: string) => Promise<FileIdentity | null>,
  clock: Pick<Clock, 'monotonicMs'>,
) => {
  const files = new Map<string, Seen | null>()

  const note = (path: string): void => {
    const known = files.get(path) ?? null
    files.delete(path)
    files.set(path, known)
    const [oldest] = files.keys()
    if (files.size > mostFiles && oldest !== undefined) files.delete(oldest)
  }

  /** Without sorting them: a hundred thousand would hold the loop for most of a second, at every scan. */
  const noteScan = (found: readonly FoundFile[]): void => {
    const newest: { readonly path: string; readonly mtimeNs: bigint }[] = []
    for (const { path, identity } of found) {
      const mtimeNs = BigInt(identity.mtimeNs)
      const before = newest.findIndex((other) => other.mtimeNs < mtimeNs)
      if (before === -1 && newest.length === newestOfScan) continue
      newest.splice(before === -1 ? newest.length : before, 0, { path, mtimeNs })
      newest.length = Math.min(newest.length, newestOfScan)
    }
    for (const { path } of newest) note(path)
  }

  const isGrowing = async (path: string, before: Seen | null): Promise<boolean> => {
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
    if (nowMs - before.changedAtMs > forgetAfterMs) files.delete(path)
    return before.hasGrown && nowMs - before.changedAtMs < growsForMs
  }

  const paths = async (): Promise<readonly string[]> => {
    const growing: string[] = []
    for (const [path, before] of [...files]) if (await isGrowing(path, before)) growing.push(path)
    return growing
  }

  return { note, noteScan, paths }
}
