import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'

const ROOT = 0
const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

export type Owner = { readonly uid: number; readonly gid: number }

/** The owner of the station if this process is root and another user's agent runs there; null otherwise. */
export const foreignOwnerOf = (dataFolder: string): Owner | null => {
  if (process.geteuid?.() !== ROOT) return null
  try {
    // Root's own link may lead to the folder of a service's user.
    const foreign = [lstatSync(dataFolder), statSync(dataFolder)].find(({ uid }) => uid !== ROOT)
    return foreign === undefined ? null : { uid: foreign.uid, gid: foreign.gid }
  } catch {
    return null
  }
}

/**
 * The only user besides root who can change where this path leads; null if there is none, or if this process is not root.
 * Throws an Error for the user if there are several. The end of the path may be missing.
 */
export const userInControlOf = (folder: string): Owner | null => {
  if (process.geteuid?.() !== ROOT) return null
  const stats = [...stepsTo(folder), ...stepsTo(realPathOf(folder))]
  const foreign = stats.filter(({ uid }) => uid !== ROOT)
  const [first] = foreign
  const isShared = first === undefined && stats.some(isOpenToOthers)
  if (isShared || foreign.some(({ uid }) => uid !== first?.uid))
    throw new Error(`Several users can change ${folder} or a folder above it. Use a folder of one user.`)
  // The last entry is the folder itself. New files get its group.
  const last = foreign.at(-1)
  return last === undefined ? null : { uid: last.uid, gid: last.gid }
}

const isOpenToOthers = (stats: Stats): boolean =>
  stats.isDirectory() &&
  (stats.mode & STICKY) === 0 &&
  ((stats.mode & OTHERS_WRITE) !== 0 || ((stats.mode & GROUP_WRITES) !== 0 && stats.gid !== ROOT))

/** The folder and all its parents, from the top. */
const stepsTo = (folder: string): readonly Stats[] => {
  const parent = path.dirname(folder)
  const own = lstatSync(folder, { throwIfNoEntry: false })
  return [...(parent === folder ? [] : stepsTo(parent)), ...(own === undefined ? [] : [own])]
}

/** The real path of the part that exists. */
const realPathOf = (folder: string): string => {
  try {
    return realpathSync(folder)
  } catch {
    return realPathOf(path.dirname(folder))
  }
}
