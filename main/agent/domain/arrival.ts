import type { FileIdentity } from './file-identity.ts'

/** FAT stores times in steps of two seconds, so a stored time may be up to two seconds too early. */
const FAT_TIME_STEP_MS = 2_000

/**
 * A `number` holds whole seconds in nanoseconds exactly, as FAT stores them. Other times lose less than a microsecond.
 */
const nsToWholeMs = (ns: string): number => Math.trunc(Number(ns) / 1e6)

/**
 * Whether a file arrived in its folder at or after a moment. The ctime decides, because a copied file keeps its mtime.
 * Without a ctime, as on FAT under Windows, the mtime decides. A file without any time counts as arrived: one upload
 * too many is better than a lost recording.
 */
export const arrivedSince = (
  { ctimeNs, mtimeNs }: Pick<FileIdentity, 'ctimeNs' | 'mtimeNs'>,
  sinceMs: number,
): boolean => {
  const ctimeMs = nsToWholeMs(ctimeNs)
  const atMs = ctimeMs > 0 ? ctimeMs : nsToWholeMs(mtimeNs)
  if (atMs <= 0) return true
  return atMs >= (atMs % FAT_TIME_STEP_MS === 0 ? sinceMs - FAT_TIME_STEP_MS : sinceMs)
}
