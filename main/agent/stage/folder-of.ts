import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings, Settings } from '../../../shared/settings/settings.ts'

export type FolderOf = (path: string) => FolderSettings | undefined

/**
 * Finds the settings of a folder by its path in the journal, which may be spelled differently. Caches the results until
 * the settings change, because the settler needs them all the time.
 */
export const createFolderOf = (settings: () => Settings | null, paths: Paths): FolderOf => {
  let cache = new Map<string, FolderSettings | undefined>()
  let cachedSettings: Settings | null = null
  return (path) => {
    const current = settings()
    if (current !== cachedSettings) {
      cachedSettings = current
      cache = new Map()
    }
    if (!cache.has(path))
      cache.set(
        path,
        current?.folders.find((folder) => paths.same(folder.path, path)),
      )
    return cache.get(path)
  }
}
