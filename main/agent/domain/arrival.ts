import type { FileIdentity } from './file-identity.ts'

/** FAT stores times in steps of two seconds. Programs that write to FAT or exFAT may leave the times empty. */
const FAT_TIME_STEP_MS = 2_000

/** In nanoseconds, a double holds a whole second exactly, and any other time to a quarter of a microsecond. */
const nsToWholeMs = (ns: string): number => Math.trunc(Number(ns) / 1e6)

/**
 * Whether a file arrived in its folder at or after a moment. The ctime decides, because a copied file keeps its
 * mtime. FAT and exFAT have no ctime on Windows (zero, or 1601), so there the mtime decides. A file without any time
 * counts as arrived: one upload too many is better than a lost recording.
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
