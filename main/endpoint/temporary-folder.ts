import { lstatSync, mkdirSync, mkdtempSync, readdirSync, type Stats } from 'node:fs'
import path from 'node:path'

/**
 * Hard case: A different user of the PC creates the agent's folder in /tmp before the agent does.
 * In this case, the agent uses a folder whose name has a random ending. Clients recognise that folder by its owner,
 * because only root can make another account the owner of a folder.
 */

const GROUP_OR_OTHERS_WRITE = 0o022
const STICKY = 0o1000

/** True if accounts other than the owner can replace files in this folder. */
export const isOpenToOthers = ({ mode }: Stats): boolean =>
  (mode & GROUP_OR_OTHERS_WRITE) !== 0 && (mode & STICKY) === 0

const usualName = (uid: number): string => `sluice-${uid}`
const usualFolder = (uid: number, base: string): string => path.join(base, usualName(uid))

const isOwnFolder = (folder: string, uid: number): boolean => {
  try {
    const stats = lstatSync(folder)
    return stats.isDirectory() && stats.uid === uid && !isOpenToOthers(stats)
  } catch {
    return false
  }
}

const randomFolders = (uid: number, base: string): readonly string[] => {
  try {
    return readdirSync(base)
      .filter((name) => name.startsWith(`${usualName(uid)}-`))
      .map((name) => path.join(base, name))
      .filter((folder) => isOwnFolder(folder, uid))
  } catch {
    return []
  }
}

/** The folders that may contain the socket of this account. The first may be missing or belong to another account. */
export const temporaryFoldersOf = (uid: number, base = '/tmp'): readonly string[] => [
  usualFolder(uid, base),
  ...randomFolders(uid, base),
]

/** A folder that only this account can change. Its path is short enough for a socket. */
export const makeTemporaryFolder = (uid: number, base = '/tmp'): string => {
  const usual = usualFolder(uid, base)
  try {
    mkdirSync(usual, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (isOwnFolder(usual, uid)) return usual
  const [earlier] = randomFolders(uid, base)
  return earlier ?? mkdtempSync(`${usual}-`)
}
