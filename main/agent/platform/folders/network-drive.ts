import { realpath, statfs } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'

/** What Linux calls NFS, SMB 1 to 3, 9P and AFS. */
const NETWORK_TYPES = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f])
/** A drive of this PC or one behind a network: nobody can tell. */
const FUSE = 0x65735546

/** By its type on Linux, by its name on Windows: `real` is `\\server\share` also behind the letter of a drive. */
export const isOnNetwork = (real: string, type: number, paths: Paths): boolean =>
  paths.isShare(real) || NETWORK_TYPES.has(type)

/** Whether others may write there without this PC being told: of such a drive only its own writes are announced. */
export const mayBeShared = async (path: string, paths: Paths): Promise<boolean> => {
  const opened = paths.toOpen(path)
  const { type } = await statfs(opened).catch(() => ({ type: FUSE }))
  return type === FUSE || isOnNetwork(await realpath(opened).catch(() => path), type, paths)
}
