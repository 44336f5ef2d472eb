/**
 * Shows whether a file is still the one that was hashed. Numbers beyond 2^53 (inodes, nanoseconds) are kept as text: if
 * they were rounded, two different files could look the same.
 */
export type FileIdentity = {
  readonly device: string
  readonly inode: string
  readonly sizeBytes: number
  readonly mtimeNs: string
  readonly ctimeNs: string
  /**
   * The time of creation; absent if the drive does not store it. A new file that gets the inode of a deleted file has a
   * different time.
   */
  readonly bornNs?: string
}

/** The time of the last change in milliseconds. The rounding error is below one microsecond. */
export const mtimeMsOf = ({ mtimeNs }: Pick<FileIdentity, 'mtimeNs'>): number => Number(mtimeNs) / 1e6

/**
 * The time of the last change of the file or its name, set by the system. Zero or less if the drive does not store this
 * time.
 */
export const ctimeMsOf = ({ ctimeNs }: Pick<FileIdentity, 'ctimeNs'>): number => Number(ctimeNs) / 1e6

/**
 * Whether the mtime is ahead of this PC's clock. Such an mtime does not show when the file was written: the clock of
 * the recorder or of the drive is wrong, or a card stores local time.
 */
export const isMtimeAhead = (identity: Pick<FileIdentity, 'mtimeNs'>, nowMs: number): boolean =>
  Math.floor(mtimeMsOf(identity)) > nowMs

/** Some drives have no inode numbers. There, every file has this inode. */
const NO_INODE = '0'

/** Whether both may be the same file. On a drive without inode numbers, two files may look like one. */
export const mayBeSameInode = (a: FileIdentity, b: FileIdentity): boolean =>
  a.device === b.device && a.inode === b.inode

/** Whether both have the same, known inode. They may still be two files: a new file can get a deleted file's inode. */
export const sameInode = (a: FileIdentity, b: FileIdentity): boolean =>
  mayBeSameInode(a, b) && a.inode !== NO_INODE

/** Whether both are the same file with the same content. On a drive without inode numbers, size and times decide. */
export const sameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  mayBeSameInode(a, b) && a.sizeBytes === b.sizeBytes && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

/**
 * Whether both are the same file, perhaps renamed or with new permissions. A rename or new permissions change only
 * the ctime.
 */
export const sameExceptCtime = (a: FileIdentity, b: FileIdentity): boolean =>
  mayBeSameInode(a, b) && a.sizeBytes === b.sizeBytes && a.mtimeNs === b.mtimeNs

/**
 * Whether both are the same file, perhaps renamed, with new permissions, or on a drive that was connected again. Such a
 * drive may have a different device number.
 */
export const sameOnAnyDevice = (a: FileIdentity, b: FileIdentity): boolean =>
  a.bornNs === b.bornNs && sameExceptCtime({ ...a, device: b.device }, b)

/**
 * Whether `after` is the same file as `before` under a different name, perhaps with more bytes. File systems give the
 * inode of a deleted file to the next new file, so the time of creation decides. If it is unknown for either file,
 * Sluice guesses: the files count as the same if size and mtime did not decrease and the old file has no hash yet
 * (`isUnhashed`). After a wrong guess, Sluice does not report that the old file was deleted, but still uploads the new
 * one.
 */
export const isContinuation = (before: FileIdentity, after: FileIdentity, isUnhashed: boolean): boolean => {
  if (!sameInode(before, after)) return false
  if (before.bornNs !== undefined && after.bornNs !== undefined) return before.bornNs === after.bornNs
  return isUnhashed && after.sizeBytes >= before.sizeBytes && BigInt(after.mtimeNs) >= BigInt(before.mtimeNs)
}

/** Whether both are the same file, unchanged or with bytes appended: neither its size nor its times have decreased. */
export const hasOnlyGrown = (before: FileIdentity, after: FileIdentity): boolean =>
  mayBeSameInode(before, after) &&
  after.sizeBytes >= before.sizeBytes &&
  BigInt(after.mtimeNs) >= BigInt(before.mtimeNs) &&
  BigInt(after.ctimeNs) >= BigInt(before.ctimeNs)
