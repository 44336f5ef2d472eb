import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { ADMINISTRATORS_SID } from '../../managed/windows-trust-rules.ts'
import { withArchivesAsFiles } from './archives-as-files.ts'
import type { RightsReader } from './program-rights.ts'

/** Null if the file is gone: a running agent may remove temporary files. */
const ownerOf = (place: string, { rightsOf }: RightsReader): string | null => {
  try {
    return rightsOf(place).owner
  } catch (error) {
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return null
    throw new Error(`Sluice cannot read who owns ${place} (${(error as Error).message}). Remove it.`)
  }
}

/**
 * Throws an Error for the user if an account outside `owners` owns a file or folder in this folder. On Windows, the
 * owner of a file may always change its access list. So a user who planted a file could restore their own access.
 */
export const refusePlantedFiles = (folder: string, owners: readonly string[], reader: RightsReader): void => {
  // A recursive listing does not follow links.
  const entries = withArchivesAsFiles(() => readdirSync(folder, { recursive: true, withFileTypes: true }))
  for (const entry of entries) {
    const place = path.join(entry.parentPath, entry.name)
    const owner = ownerOf(place, reader)
    if (owner !== null && !owners.includes(owner))
      throw new Error(
        `${place} belongs to ${reader.nameOf(owner)}, so the background service does not use ${folder}. Remove ${place}. Only if the background service ran under that account before, give the files to the administrators instead: icacls "${folder}" /setowner *${ADMINISTRATORS_SID} /T /L`,
      )
  }
}
