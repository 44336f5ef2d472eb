import { opendir, readFile } from 'node:fs/promises'
import type { InotifyLimits } from '../../../../shared/ipc/station-check.ts'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'

const readLimit = async (name: string): Promise<number | null> => {
  const text = await readFile(`/proc/sys/fs/inotify/${name}`, 'utf8').catch(() => '')
  const value = Number.parseInt(text, 10)
  return Number.isNaN(value) ? null : value
}

export const inotifyLimits = async (): Promise<InotifyLimits | null> => {
  const [watches, instances] = await Promise.all([
    readLimit('max_user_watches'),
    readLimit('max_user_instances'),
  ])
  return watches === null || instances === null ? null : { watches, instances }
}

/**
 * Counts the watches that the folder needs: one for itself and, if `recursive` is set, one for each readable subfolder.
 */
export const countFolders = async (
  folder: FolderSettings,
  paths: Paths,
  signal: AbortSignal,
): Promise<number> => {
  let count = 0
  const foldersLeft = [folder.path]
  for (let next = foldersLeft.pop(); next !== undefined; next = foldersLeft.pop()) {
    const entries = await opendir(paths.toOpen(next)).catch(() => null)
    if (entries === null) continue
    count += 1
    for await (const entry of entries) {
      signal.throwIfAborted()
      if (entry.isDirectory() && folder.recursive) foldersLeft.push(paths.join(next, entry.name))
    }
  }
  return count
}
