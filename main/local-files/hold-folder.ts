import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats, statSync } from 'node:fs'
import type { Owner } from './data-folder-owner.ts'

/** Only root can write into the folders of other users, so only root needs these checks. */
const isRoot = (): boolean => process.geteuid?.() === 0

/** Only Linux gives access to the files of a folder through the folder's descriptor. */
const canHold = (): boolean => process.platform === 'linux'

/**
 * The owner of the parent folder can swap the folder for a link between two calls. So on Linux, root opens a folder of
 * another user only once, and `heldPath` leads to it through the descriptor. Otherwise `heldPath` is the path itself.
 * `owner` is the user who owns the folder, or null if root owns it or the caller is not root.
 */
export const withHeldFolder = <T>(folder: string, use: (heldPath: string, owner: Owner | null) => T): T => {
  if (!isRoot()) return use(folder, null)
  if (!canHold()) return use(folder, foreignOwner(lstatSync(folder)))
  return withDescriptor(folder, (heldPath, stats) => {
    const owner = foreignOwner(stats)
    return use(owner === null ? folder : heldPath, owner)
  })
}

/**
 * Like `withHeldFolder`, but throws if the folder is a link of another user. For root on Linux, it also throws if
 * someone swaps the folder in the meantime.
 */
export const withUnlinkedFolder = <T>(folder: string, use: (heldPath: string) => T): T => {
  if (!isRoot() || !canHold()) {
    refuseForeignLink(lstatSync(folder))
    return use(folder)
  }
  return withDescriptor(folder, (heldPath, openedStats) => {
    const pathStats = lstatSync(folder)
    refuseForeignLink(pathStats)
    // The path may have been a foreign link when root opened it, so check that it leads to the opened folder now.
    const { dev, ino } = pathStats.isSymbolicLink() ? statSync(folder) : pathStats
    if (dev !== openedStats.dev || ino !== openedStats.ino) throw new Error('the folder was swapped')
    return use(heldPath)
  })
}

const foreignOwner = ({ uid, gid }: Stats): Owner | null => (uid === 0 ? null : { uid, gid })

/** Accepts links of root, because an administrator created them, and links of the user of this process. */
const refuseForeignLink = (stats: Stats): void => {
  if (stats.isSymbolicLink() && stats.uid !== 0 && stats.uid !== process.geteuid?.())
    throw new Error('the folder is a link of another user')
}

const withDescriptor = <T>(folder: string, use: (heldPath: string, stats: Stats) => T): T => {
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return use(`/proc/self/fd/${handle}`, fstatSync(handle))
  } finally {
    closeSync(handle)
  }
}
