import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'

const ROOT = 0
const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

export type Owner = { readonly uid: number; readonly gid: number }

/** The owner of the data folder if this process is root and a different user owns the folder; null otherwise. */
export const foreignOwnerOf = (dataFolder: string): Owner | null => {
  if (process.geteuid?.() !== ROOT) return null
  try {
    // Check the path and its target: a link that root owns may lead to the folder of a service account.
    const foreignStats = [lstatSync(dataFolder), statSync(dataFolder)].find(({ uid }) => uid !== ROOT)
    return foreignStats === undefined ? null : { uid: foreignStats.uid, gid: foreignStats.gid }
  } catch {
    return null
  }
}

/**
 * The only user besides root who can change where this path leads. Null if there is no such user, or if this process is
 * not root. Throws an Error for the user if several users can change it. The last folders of the path need not exist.
 */
export const userInControlOf = (folder: string): Owner | null => {
  if (process.geteuid?.() !== ROOT) return null
  const stats = [...statsAlongPath(folder), ...statsAlongPath(realPathOf(folder))]
  const foreignStats = stats.filter(({ uid }) => uid !== ROOT)
  const [first] = foreignStats
  const isShared = first === undefined && stats.some(isOpenToOthers)
  if (isShared || foreignStats.some(({ uid }) => uid !== first?.uid))
    throw new Error(
      `Several users can change ${folder} or a folder above it. Use a folder that only one user can change.`,
    )
  // New files get the group of the lowest folder in the path that this user owns.
  const last = foreignStats.at(-1)
  return last === undefined ? null : { uid: last.uid, gid: last.gid }
}

const isOpenToOthers = (stats: Stats): boolean =>
  stats.isDirectory() &&
  (stats.mode & STICKY) === 0 &&
  ((stats.mode & OTHERS_WRITE) !== 0 || ((stats.mode & GROUP_WRITES) !== 0 && stats.gid !== ROOT))

/** The folder and all its parents, from the top. */
const statsAlongPath = (folder: string): readonly Stats[] => {
  const parent = path.dirname(folder)
  const ownStats = lstatSync(folder, { throwIfNoEntry: false })
  return [...(parent === folder ? [] : statsAlongPath(parent)), ...(ownStats === undefined ? [] : [ownStats])]
}

/** The real path of the folder, or of its lowest parent that exists. */
const realPathOf = (folder: string): string => {
  try {
    return realpathSync(folder)
  } catch {
    return realPathOf(path.dirname(folder))
  }
}
