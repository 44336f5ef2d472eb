type Volume = { readonly device: string; readonly inode: string; readonly drive?: string | undefined }

/** A drive is identified by its UUID or by its root folder. Only two identities of the same kind can be compared. */
const kindOf = (drive: string): string => drive.slice(0, drive.indexOf(':'))

/**
 * True if it is certain that the folder is on a different drive now, even if both drives have the same device number.
 */
export const isOtherDrive = (
  { drive: stored }: Pick<Volume, 'drive'>,
  { drive: current }: Pick<Volume, 'drive'>,
): boolean =>
  stored !== undefined && current !== undefined && stored !== current && kindOf(stored) === kindOf(current)

/**
 * Whether a different drive or folder has taken the place of a known folder. The inode identifies the folder, because
 * device numbers change between mounts. A different inode on the same device only means that a user recreated the
 * folder. If inode and device both differ, a different drive is mounted here. A link to a different folder also counts
 * as replaced: a user with access to the parent folder may have planted it. An empty inode means that the folder is not
 * known yet, or that the user has confirmed the drive that is there.
 */
export const isReplaced = (known: Volume, current: Volume & { readonly isLink?: boolean }): boolean => {
  if (isOtherDrive(known, current)) return true
  const isDifferent = known.inode !== '' && known.inode !== current.inode
  return isDifferent && (current.isLink === true || known.device !== current.device)
}

/**
 * The identity to store for a folder that is still on its drive. The stored UUID stays if the system does not show the
 * UUID now, for example shortly after the system has started.
 */
export const driveToStore = (
  { drive: stored }: Pick<Volume, 'drive'>,
  { drive: current }: Pick<Volume, 'drive'>,
): string | undefined => {
  const isLessExact = stored?.startsWith('uuid:') === true && current?.startsWith('uuid:') !== true
  return isLessExact ? stored : (current ?? stored)
}

/**
 * Linux gives the root of a FAT or exFAT drive this inode number, and the time of the mount as its birth time. So the
 * birth time does not identify such a drive.
 */
export const FAT_ROOT_INODE = '1'

/**
 * The birth time of a folder, stored after its inode number. Null if the drive or an older journal row has none, or if
 * the folder is the root of a FAT drive.
 */
const bornNsOf = ({ inode }: Volume): string | null => {
  const [number, bornNs = '0'] = inode.split(':')
  return bornNs === '0' || number === FAT_ROOT_INODE ? null : bornNs
}

/**
 * Whether a folder is still on the same drive. First compares what identifies the drives (see `isOtherDrive`), then the
 * folder itself. After a restart, a drive may have a different device number, and its old number may belong to a
 * different drive. On a FAT drive, the inode number of a folder may change too. The birth time of a folder never
 * changes, except at the root of a FAT drive, so different birth times mean different drives. If the birth times are
 * equal or unknown, an equal device or an equal inode is enough: the empty mount point of an absent drive differs in
 * both.
 */
export const isSameDrive = (stored: Volume, current: Volume): boolean => {
  if (isOtherDrive(stored, current)) return false
  const [before, after] = [bornNsOf(stored), bornNsOf(current)]
  if (before !== null && after !== null && before !== after) return false
  return stored.device === current.device || stored.inode === current.inode
}
