import type { FileIdentity } from './file-identity.ts'

/** FAT keeps times in steps of two seconds, and exFAT's and FAT's own programs may leave them empty. */
const COARSE_MS = 2_000

/** A double holds every whole second; in between it is exact to a quarter of a microsecond. */
const wholeMs = (ns: string): number => Math.trunc(Number(ns) / 1e6)

/**
 * Whether a file came to be here at or after a moment. The ctime shows it: a copied file keeps its mtime. FAT and exFAT have
 * none on Windows (zero, or 1601), and the mtime has to do. Where no time is kept at all, the file is taken: one
 * uploaded too many is better than one lost.
 */
export const arrivedSince = (
  { ctimeNs, mtimeNs }: Pick<FileIdentity, 'ctimeNs' | 'mtimeNs'>,
  sinceMs: number,
): boolean => {
  const ctimeMs = wholeMs(ctimeNs)
  const atMs = ctimeMs > 0 ? ctimeMs : wholeMs(mtimeNs)
  if (atMs <= 0) return true
  return atMs >= (atMs % COARSE_MS === 0 ? sinceMs - COARSE_MS : sinceMs)
}
