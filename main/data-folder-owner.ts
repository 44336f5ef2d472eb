import { closeSync, constants, fchownSync, fstatSync, lstatSync, openSync } from 'node:fs'
import path from 'node:path'
import { ownFiles } from './owner-only.ts'

const ROOT = 0

export type Owner = { readonly uid: number; readonly gid: number }

/** Whose station it is, if this is root and somebody else's agent runs there; null otherwise. */
export const foreignOwnerOf = (dataFolder: string): Owner | null => {
  if (process.geteuid?.() !== ROOT) return null
  try {
    const { uid, gid } = lstatSync(dataFolder)
    return uid === ROOT ? null : { uid, gid }
  } catch {
    return null
  }
}

/**
 * What root's command wrote into somebody else's data folder belongs to the folder's owner, whose agent has to read it.
 * The owner could plant a link there, so only a file with one name is given away, and through an open handle.
 */
export const giveToOwner = (dataFolder: string): void => {
  const owner = foreignOwnerOf(dataFolder)
  if (owner === null) return
  const logs = path.join(dataFolder, 'logs')
  for (const file of [logs, ...ownFiles(dataFolder)]) give(file, owner)
}

const give = (file: string, { uid, gid }: Owner): void => {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return
  }
  try {
    const stats = fstatSync(handle)
    const isOne = stats.isDirectory() || (stats.isFile() && stats.nlink === 1)
    if (isOne && stats.uid === ROOT) fchownSync(handle, uid, gid)
  } finally {
    closeSync(handle)
  }
}
