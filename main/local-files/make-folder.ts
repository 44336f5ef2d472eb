import { closeSync, constants, existsSync, fchownSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'

/**
 * Creates a folder for its owner alone. It goes level by level, because Node's recursive mkdir never ends if the system
 * denies that a parent exists (/proc).
 */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder))
  mkdirSync(folder, 0o700)
  giveToParentOwner(folder)
}

/**
 * A folder that root creates inside the folder of a service's user belongs to that user, whose agent writes to it. The
 * user could swap it for a link meanwhile, so the owner changes through a handle that follows no link.
 */
const giveToParentOwner = (folder: string): void => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = lstatSync(path.dirname(folder))
  if (uid === 0) return
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    fchownSync(handle, uid, gid)
  } finally {
    closeSync(handle)
  }
}
