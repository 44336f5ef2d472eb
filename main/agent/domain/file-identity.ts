/**
 * What shows that a file is still the one that was hashed. Numbers beyond 2^53 (inodes, nanoseconds) are kept
 * as text: rounding them would call two different files the same.
 */
export type FileIdentity = {
  readonly device: string
  readonly inode: string
  readonly sizeBytes: number
  readonly mtimeNs: string
  readonly ctimeNs: string
  /** When the file was created; absent where the drive does not record it. Another file never has the same. */
  readonly bornNs?: string
}

/** One file, whatever is in it by now. */
export const sameInode = (a: FileIdentity, b: FileIdentity): boolean =>
  a.device === b.device && a.inode === b.inode

export const sameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  sameInode(a, b) && a.sizeBytes === b.sizeBytes && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

/** A rename keeps everything but the ctime. */
export const movedFile = (a: FileIdentity, b: FileIdentity): boolean =>
  sameInode(a, b) && a.sizeBytes === b.sizeBytes && a.mtimeNs === b.mtimeNs

/**
 * Whether a file whose recording was not finished goes on under another name, with bytes that were written since. A
 * system gives the inode of a deleted file to the next one, so the time of creation decides. Without it (`sentNothing`
 * only), a size and time that have not gone back are taken as the same file. If that is wrong, the deletion of a file
 * that was still growing goes unreported; the new file itself is uploaded either way.
 */
export const goesOnAs = (before: FileIdentity, after: FileIdentity, sentNothing: boolean): boolean => {
  if (!sameInode(before, after)) return false
  if (before.bornNs !== undefined && after.bornNs !== undefined) return before.bornNs === after.bornNs
  return sentNothing && after.sizeBytes >= before.sizeBytes && BigInt(after.mtimeNs) >= BigInt(before.mtimeNs)
}

/** The same file, which has only been written to since: neither its size nor its times have gone back. */
export const continues = (before: FileIdentity, after: FileIdentity): boolean =>
  sameInode(before, after) &&
  after.sizeBytes >= before.sizeBytes &&
  BigInt(after.mtimeNs) >= BigInt(before.mtimeNs) &&
  BigInt(after.ctimeNs) >= BigInt(before.ctimeNs)
