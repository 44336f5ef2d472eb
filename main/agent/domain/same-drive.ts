type Volume = { readonly device: string; readonly inode: string; readonly drive?: string | undefined }

/** A drive is identified by its UUID or by its root folder. Only identities of one kind are comparable. */
const kindOf = (drive: string): string => drive.slice(0, drive.indexOf(':'))

/** Whether the folder is certainly on a different drive now, even if the device number is the same. */
export const isOtherDrive = (
  { drive: stored }: Pick<Volume, 'drive'>,
  { drive: current }: Pick<Volume, 'drive'>,
): boolean =>
  stored !== undefined && current !== undefined && stored !== current && kindOf(stored) === kindOf(current)

/**
 * Whether a different drive or folder has taken the place of a known folder. A different inode or a different device
 * alone proves nothing: a user may recreate a folder, and device numbers change between mounts. A link to a different
 * folder counts as replaced, because an attacker may have planted it. An empty stored inode means that the folder is
 * new, or that a user has confirmed its drive.
 */
export const isReplaced = (known: Volume, current: Volume & { readonly isLink?: boolean }): boolean => {
  if (isOtherDrive(known, current)) return true
  const isDifferent = known.inode !== '' && known.inode !== current.inode
  return isDifferent && (current.isLink === true || known.device !== current.device)
}

/**
 * The drive identity to store for a folder that is still on its drive. Keeps the stored UUID if the system does not
 * report one now, for example soon after it starts.
 */
export const driveToStore = (
  { drive: stored }: Pick<Volume, 'drive'>,
  { drive: current }: Pick<Volume, 'drive'>,
): string | undefined => {
  const isLessExact = stored?.startsWith('uuid:') === true && current?.startsWith('uuid:') !== true
  return isLessExact ? stored : (current ?? stored)
}

/**
 * Linux gives the root of every FAT or exFAT drive this inode number, and the time of the mount as its birth time. So
 * the birth time does not identify such a drive.
 */
export const FAT_ROOT_INODE = '1'

/**
 * The birth time of a folder, which `inode` contains after the inode number. Null if the birth time is missing, or
 * useless because the folder is the root of a FAT drive.
 */
const bornNsOf = ({ inode }: Volume): string | null => {
  const [number, bornNs = '0'] = inode.split(':')
  return bornNs === '0' || number === FAT_ROOT_INODE ? null : bornNs
}

/**
 * Whether a folder is still on the same drive. First compares the identities of the drives (see `isOtherDrive`), then
 * the folder itself. Device numbers may change at a restart, and so may inode numbers on a FAT drive. Except at the
 * root of a FAT drive, birth times never change, so different birth times mean different drives. Otherwise, an equal
 * device or an equal inode is enough: the mount point of an absent drive differs in both.
 */
export const isSameDrive = (stored: Volume, current: Volume): boolean => {
  if (isOtherDrive(stored, current)) return false
  const [before, after] = [bornNsOf(stored), bornNsOf(current)]
  if (before !== null && after !== null && before !== after) return false
  return stored.device === current.device || stored.inode === current.inode
}
