import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings, Settings } from '../../../shared/settings/settings.ts'

export type FolderOf = (path: string) => FolderSettings | undefined

/**
 * The settings of a folder by its path in the journal, which may have a different spelling. The settler calls this for
 * every growing file at every step, so each spelling is compared only once until the settings change.
 */
export const createFolderOf = (settings: () => Settings | null, paths: Paths): FolderOf => {
  let known = new Map<string, FolderSettings | undefined>()
  let knownSettings: Settings | null = null
  return (path) => {
    const now = settings()
    if (now !== knownSettings) {
      knownSettings = now
      known = new Map()
    }
    if (!known.has(path))
      known.set(
        path,
        now?.folders.find((folder) => paths.same(folder.path, path)),
      )
    return known.get(path)
  }
}
