/**
 * Sluice compares these values to find out whether a file is still the one that was hashed. Inodes and nanoseconds are
 * text: numbers above 2^53 would be rounded, and two different files could look the same.
 */
export type FileIdentity = {
  readonly device: string
  readonly inode: string
  readonly sizeBytes: number
  readonly mtimeNs: string
  readonly ctimeNs: string
  /**
   * The time of creation. Absent if the drive does not store it. It distinguishes a new file from a deleted file that
   * had the same inode.
   */
  readonly bornNs?: string
}

/** The time of the last change in milliseconds. The rounding error is below one microsecond. */
export const mtimeMsOf = ({ mtimeNs }: Pick<FileIdentity, 'mtimeNs'>): number => Number(mtimeNs) / 1e6

/** When the file, its name or its permissions last changed. Zero or less if the drive does not store this time. */
export const ctimeMsOf = ({ ctimeNs }: Pick<FileIdentity, 'ctimeNs'>): number => Number(ctimeNs) / 1e6

/**
 * Whether the mtime is in the future. A future mtime is not the time when the file was written: a clock is wrong, or a
 * card stores local time.
 */
export const isMtimeAhead = (identity: Pick<FileIdentity, 'mtimeNs'>, nowMs: number): boolean =>
  Math.floor(mtimeMsOf(identity)) > nowMs

/** Some drives have no inode numbers. There, every file has this inode. */
const NO_INODE = '0'

/** Whether both may be the same file. On a drive without inode numbers, two files may look like one. */
export const mayBeSameInode = (a: FileIdentity, b: FileIdentity): boolean =>
  a.device === b.device && a.inode === b.inode

/** Whether both have the same known inode. A new file can get the inode of a deleted file, so they may be two files. */
export const sameInode = (a: FileIdentity, b: FileIdentity): boolean =>
  mayBeSameInode(a, b) && a.inode !== NO_INODE

/** Whether both are the same file with the same content. On a drive without inode numbers, size and times decide. */
export const sameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  mayBeSameInode(a, b) && a.sizeBytes === b.sizeBytes && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

/** Whether both are the same file. A rename or new permissions change only the ctime, so the ctime does not matter. */
export const sameExceptCtime = (a: FileIdentity, b: FileIdentity): boolean =>
  mayBeSameInode(a, b) && a.sizeBytes === b.sizeBytes && a.mtimeNs === b.mtimeNs

/**
 * Like `sameExceptCtime`, but compares the time of creation instead of the device number, which may change when a drive
 * is connected again.
 */
export const sameOnAnyDevice = (a: FileIdentity, b: FileIdentity): boolean =>
  a.bornNs === b.bornNs && sameExceptCtime({ ...a, device: b.device }, b)

/**
 * Whether `after` is the same file as `before` under a new name, perhaps with more bytes. A new file may get a deleted
 * file's inode, so the time of creation decides. If it is unknown, Sluice guesses from size and mtime, but only if the
 * old file has no hash yet (`isUnhashed`). A wrong guess only hides that the old file was deleted: the new one is still
 * uploaded.
 */
export const isContinuation = (before: FileIdentity, after: FileIdentity, isUnhashed: boolean): boolean => {
  if (!sameInode(before, after)) return false
  if (before.bornNs !== undefined && after.bornNs !== undefined) return before.bornNs === after.bornNs
  return isUnhashed && after.sizeBytes >= before.sizeBytes && BigInt(after.mtimeNs) >= BigInt(before.mtimeNs)
}

/** Whether both are the same file, unchanged or with bytes appended. */
export const hasOnlyGrown = (before: FileIdentity, after: FileIdentity): boolean =>
  mayBeSameInode(before, after) &&
  after.sizeBytes >= before.sizeBytes &&
  BigInt(after.mtimeNs) >= BigInt(before.mtimeNs) &&
  BigInt(after.ctimeNs) >= BigInt(before.ctimeNs)
