import { constants } from 'node:fs'
import { access, opendir } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { systemCode } from '../files/file-failure.ts'
import { createFolderFilter } from './folder-filter.ts'

/** Most files of a folder have the same rights, so checking the first entries is enough. */
const MAX_ENTRIES = 2_000
const deniedCodes: readonly unknown[] = ['EACCES', 'EPERM']

/** Checks the first entries of a folder. Returns the recordings and subfolders that this user may not read. */
export const findUnreadable = async (
  folder: FolderSettings,
  paths: Paths,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const filter = createFolderFilter(folder, paths)
  const unreadable: string[] = []
  const foldersLeft = [folder.path]
  let checkedCount = 0
  const isDenied = async (path: string, mode: number): Promise<boolean> => {
    try {
      await access(paths.toOpen(path), mode)
      return false
    } catch (error) {
      return deniedCodes.includes(systemCode(error))
    }
  }
  for (
    let next = foldersLeft.shift();
    next !== undefined && checkedCount < MAX_ENTRIES;
    next = foldersLeft.shift()
  ) {
    const entries = await opendir(paths.toOpen(next)).catch(() => null)
    if (entries === null) continue
    for await (const entry of entries) {
      signal.throwIfAborted()
      checkedCount += 1
      const path = paths.join(next, entry.name)
      const relativeName = paths.nameInside(folder.path, path) ?? entry.name
      if (entry.isDirectory() && filter.entersFolder(relativeName)) {
        if (await isDenied(path, constants.R_OK | constants.X_OK)) unreadable.push(path)
        else foldersLeft.push(path)
      } else if (entry.isFile() && filter.takesFile(relativeName) && (await isDenied(path, constants.R_OK)))
        unreadable.push(path)
      if (checkedCount >= MAX_ENTRIES) break
    }
  }
  return unreadable
}
