import { closeSync, constants, existsSync, fchownSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'

/**
 * Creates a folder that only its owner may read. It creates one level at a time, because Node's recursive `mkdir` loops
 * forever if the system reports an existing parent as missing, as in `/proc`.
 */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder))
  mkdirSync(folder, 0o700)
  giveToParentOwner(folder)
}

/**
 * A folder that root creates inside the folder of a service account must belong to that account, because its agent
 * writes to the folder. The account could swap the folder for a link, so root changes the owner through a handle that
 * follows no link.
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
