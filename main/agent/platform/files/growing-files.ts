import type { FileIdentity } from '../../domain/file-identity.ts'
import type { Clock, FoundFile } from '../../ports.ts'

/** A recorder writes to a handful of files; the others are only looked at in vain. */
const mostFiles = 64
const newestOfScan = 8
/** A file that stood still for so long has no recorder any more, or a very slow one. */
const forgetAfterMs = 60_000

type Seen = { readonly sizeBytes: number; readonly mtimeNs: string; readonly changedAtMs: number }

/**
 * Which files are being written, where the system has no list of writers: those that are announced or among the newest
 * of their folder, and that have changed since the last look.
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

  const noteScan = (found: readonly FoundFile[]): void => {
    const newest = found
      .map(({ path, identity }) => ({ path, mtimeNs: BigInt(identity.mtimeNs) }))
      .sort((a, b) => (a.mtimeNs < b.mtimeNs ? 1 : a.mtimeNs > b.mtimeNs ? -1 : 0))
    for (const { path } of newest.slice(0, newestOfScan)) note(path)
  }

  /** True for one that has changed since the last look at it; the first look only remembers. */
  const hasGrown = async (path: string, before: Seen | null): Promise<boolean> => {
    const nowMs = clock.monotonicMs()
    const now = await identify(path)
    if (now === null || !files.has(path)) {
      files.delete(path)
      return false
    }
    const { sizeBytes, mtimeNs } = now
    const isSame = before?.sizeBytes === sizeBytes && before.mtimeNs === mtimeNs
    if (isSame && nowMs - before.changedAtMs > forgetAfterMs) files.delete(path)
    if (!isSame) files.set(path, { sizeBytes, mtimeNs, changedAtMs: nowMs })
    return !isSame && before !== null
  }

  const paths = async (): Promise<readonly string[]> => {
    const grown: string[] = []
    for (const [path, before] of [...files]) if (await hasGrown(path, before)) grown.push(path)
    return grown
  }

  return { note, noteScan, paths }
}
