/**
 * What tells that a file is still the one that was hashed. Numbers beyond 2^53 (inodes, nanoseconds) are kept
 * as text: rounding them would call two different files the same.
 */
export type FileIdentity = {
  readonly device: string
  readonly inode: string
  readonly sizeBytes: number
  readonly mtimeNs: string
  readonly ctimeNs: string
}

/** One file, whatever is in it by now. */
export const sameInode = (a: FileIdentity, b: FileIdentity): boolean =>
  a.device === b.device && a.inode === b.inode

export const sameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  sameInode(a, b) && a.sizeBytes === b.sizeBytes && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

/** A rename keeps everything but the ctime. */
export const movedFile = (a: FileIdentity, b: FileIdentity): boolean =>
  sameInode(a, b) && a.sizeBytes === b.sizeBytes && a.mtimeNs === b.mtimeNs

/** The same file, which has only been written to since: neither its size nor its times have gone back. */
export const continues = (before: FileIdentity, after: FileIdentity): boolean =>
  sameInode(before, after) &&
  after.sizeBytes >= before.sizeBytes &&
  BigInt(after.mtimeNs) >= BigInt(before.mtimeNs) &&
  BigInt(after.ctimeNs) >= BigInt(before.ctimeNs)
