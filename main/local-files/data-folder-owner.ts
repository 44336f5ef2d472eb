import { lstatSync, statSync } from 'node:fs'

const ROOT = 0

export type Owner = { readonly uid: number; readonly gid: number }

/** Whose station it is, if this is root and somebody else's agent runs there; null otherwise. */
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
