import type { Stats } from 'node:fs'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { FolderWatch, WatchListener } from '../../ports/folders.ts'
import { DriveTimeoutError } from '../files/drive-calls.ts'
import { systemCode } from '../files/file-failure.ts'
import { createFolderFilter } from './folder-filter.ts'
import { describeWatchError } from './watch-error.ts'
import { startWatchThread } from './watch-thread.ts'

type WatchedFolder = {
  readonly watcher: { readonly close: () => void }
  /** The last scan that entered the folder. */
  readonly scan: number
  readonly parent: string
  /** Lets `unwatchTree` find the subfolders without a search through all watched folders. */
  readonly subfolders: Set<string>
}

/**
 * Watches a folder that chokidar cannot watch well on Linux (see `watchFolder`). A scan starts a watch on every
 * subfolder before it reads the subfolder, so no file is missed in between. A separate thread starts the watches, so
 * that a hung drive blocks only this thread. A new subfolder causes an event in its parent, and the next scan enters
 * it.
 */
export const watchShare = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  statOf: (path: string) => Promise<Stats>,
): FolderWatch => {
  const filter = createFolderFilter(folder, paths)
  const relativeName = (path: string): string => paths.nameInside(folder.path, path) ?? ''
  const parentOf = (path: string): string => {
    const name = relativeName(path)
    return paths.join(folder.path, name.slice(0, Math.max(0, name.lastIndexOf('/'))))
  }
  const watched = new Map<string, WatchedFolder>()
  const thread = startWatchThread()
  let scan = 0
  let isClosed = false

  const unwatch = (path: string): boolean => {
    const entry = watched.get(path)
    if (entry === undefined) return false
    entry.watcher.close()
    watched.delete(path)
    watched.get(entry.parent)?.subfolders.delete(path)
    return true
  }

  /**
   * Ends the watches of a folder and of all folders below it, because these paths may now belong to different folders.
   */
  const unwatchTree = (path: string): boolean => {
    for (const subfolder of watched.get(path)?.subfolders ?? []) unwatchTree(subfolder)
    return unwatch(path)
  }

  const close = (): void => {
    isClosed = true
    thread.close()
  }

  const fail = (error: unknown): void => {
    if (isClosed) return
    close()
    listener.error(describeWatchError(error))
  }

  const isFolder = async (path: string): Promise<boolean> => {
    if (!filter.entersFolder(relativeName(path))) return false
    // If the drive hangs, treat the path as a folder. The next scan corrects this.
    const stats = await statOf(path).catch((error: unknown) =>
      error instanceof DriveTimeoutError ? error : null,
    )
    return stats instanceof DriveTimeoutError || stats?.isDirectory() === true
  }

  const onEvent = (watchedPath: string, kind: string, name: string | null): void => {
    // When the watched folder itself is removed, its watch reports `rename` with the folder's own name.
    if (name === null || (kind === 'rename' && name === paths.nameOf(watchedPath))) listener.hint(watchedPath)
    if (name === null) return
    const path = paths.join(watchedPath, name)
    if (unwatchTree(path) || filter.takesFile(relativeName(path))) listener.hint(path)
    // The include patterns apply only to files, so a new folder is always a hint.
    else if (kind === 'rename')
      void isFolder(path).then((isSubfolder) => isSubfolder && !isClosed && listener.hint(path))
  }

  /** Starting a watch may send a request to the share's server, so a watched folder keeps its watch. */
  const enter = async (path: string): Promise<void> => {
    if (isClosed) return
    if (relativeName(path) === '') {
      for (const [watchedPath, { scan: lastScan }] of watched) if (lastScan !== scan) unwatch(watchedPath)
      scan += 1
    }
    const entry = watched.get(path)
    if (entry !== undefined) {
      watched.set(path, { ...entry, scan })
      return
    }
    try {
      const watcher = await thread.watch(paths.toOpen(path), (kind, name) => onEvent(path, kind, name), fail)
      const parent = parentOf(path)
      watched.set(path, { watcher, scan, parent, subfolders: new Set() })
      if (parent !== path) watched.get(parent)?.subfolders.add(path)
    } catch (error) {
      // If the folder has just vanished, this is no error: the watch of its parent reports the removal.
      if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') fail(error)
    }
  }

  return { enter, close }
}
