import { realpath, statfs } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { Sharing } from '../../ports/folders.ts'

/** File system numbers of NFS, SMB 1 to 3, 9P and AFS on Linux. */
const NETWORK_TYPES = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f])
/** ext2 to 4, XFS, Btrfs, F2FS, tmpfs, overlay and ZFS. */
const TYPES_WITH_OWNERS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994, 0x794c7630, 0x2fc12fc1,
])
const OVERLAY = 0x794c7630
/** FAT, exFAT and NTFS. */
const CARD_TYPES = [0x4d44, 0x2011bab0, 0x7366746e]
/** An overlay does not count as local: Sluice cannot detect a program that writes to the layer below it. */
const LOCAL_TYPES = new Set([...TYPES_WITH_OWNERS, ...CARD_TYPES].filter((type) => type !== OVERLAY))
/** A FUSE drive may be local or on the network, so it counts as shared. So does a drive whose type cannot be read. */
const FUSE = 0x65735546

/**
 * On Linux, the type shows that a drive is on the network. On Windows, the path does: `realPath` is `\\server\share`
 * even for a mapped drive letter.
 */
export const isOnNetwork = (realPath: string, type: number, paths: Paths): boolean =>
  paths.isShare(realPath) || NETWORK_TYPES.has(type)

/**
 * Whether drives of this type store the owner of each file. On other drives, such as a card with exFAT, every file
 * belongs to the user who mounted the drive.
 */
export const typeStoresOwners = (type: number): boolean => TYPES_WITH_OWNERS.has(type)

export const storesOwners = async (path: string): Promise<boolean> =>
  typeStoresOwners((await statfs(path).catch(() => ({ type: FUSE }))).type)

/**
 * Whether other PCs may write to the drive of this path. The system reports no events when they do. 'unknown': an
 * overlay, or a type of drive that Sluice does not know.
 */
export const sharingOf = async (path: string, paths: Paths): Promise<Sharing> => {
  const pathToOpen = paths.toOpen(path)
  const { type } = await statfs(pathToOpen).catch(() => ({ type: FUSE }))
  const realPath = await realpath(pathToOpen).catch(() => path)
  return sharingOfType(realPath, type, paths)
}

export const sharingOfType = (realPath: string, type: number, paths: Paths): Sharing => {
  if (type === FUSE || isOnNetwork(realPath, type, paths)) return 'shared'
  return paths.rules.hasDrives || LOCAL_TYPES.has(type) ? 'own' : 'unknown'
}
