import { lstatSync } from 'node:fs'

const ROOT = 0

export type Owner = { readonly uid: number; readonly gid: number }

/** The owner of the station if this process is root and another user's agent runs there; null otherwise. */
export const foreignOwnerOf = (dataFolder: string): Owner | null => {
  if (process.geteuid?.() !== ROOT) return null
  try {
    const { uid, gid } = lstatSync(dataFolder)
    return uid === ROOT ? null : { uid, gid }
  } catch {
    return null
  }
}
