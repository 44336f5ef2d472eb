import { lstatSync, statSync } from 'node:fs'

const ROOT = 0

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
