import type { Stats } from 'node:fs'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { FolderWatch, WatchListener } from '../../ports/folders.ts'
import { DriveTimeoutError } from '../files/drive-calls.ts'
import { systemCode } from '../files/file-failure.ts'
import { createFolderFilter } from './folder-filter.ts'
import { describeWatchError } from './watch-error.ts'
import { startWatchThread } from './watch-thread.ts'

type Watched = {
  readonly watcher: { readonly close: () => void }
  /** Number of the last scan that entered the folder. */
  readonly scan: number
  readonly parent: string
  /** Watched subfolders, so that removing a folder does not search through all watched folders. */
  readonly subfolders: Set<string>
}

/**
 * Watches a share, or a drive of unknown kind, on Linux. A scan starts a watch on every folder before it reads the
 * folder, so no file is missed in between. Nothing else calls the drive. The watch starts on its own thread, so a hung
 * drive blocks no other thread. A new folder causes an event in its parent, and the next scan enters the new folder.
 */
export const watchShare = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  statOf: (path: string) => Promise<Stats>,
): FolderWatch => {
  const filter = createFolderFilter(folder, paths)
  const inside = (path: string): string => paths.nameInside(folder.path, path) ?? ''
  const parentOf = (path: string): string => {
    const name = inside(path)
    return paths.join(folder.path, name.slice(0, Math.max(0, name.lastIndexOf('/'))))
  }
  const watched = new Map<string, Watched>()
  const thread = startWatchThread()
  let scan = 0
  let isClosed = false

  const unwatch = (path: string): boolean => {
    const known = watched.get(path)
    if (known === undefined) return false
    known.watcher.close()
    watched.delete(path)
    watched.get(known.parent)?.subfolders.delete(path)
    return true
  }

  /** After a rename or removal, the paths below this one may belong to different folders. */
  const unwatchTree = (path: string): boolean => {
    for (const below of watched.get(path)?.subfolders ?? []) unwatchTree(below)
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
    if (!filter.entersFolder(inside(path))) return false
    // If the drive hangs, treat the path as a folder. The next scan corrects this.
    const stats = await statOf(path).catch((error: unknown) =>
      error instanceof DriveTimeoutError ? error : null,
    )
    return stats instanceof DriveTimeoutError || stats?.isDirectory() === true
  }

  const onEvent = (here: string, kind: string, name: string | null): void => {
    // A removed folder reports its own name.
    if (name === null || (kind === 'rename' && name === paths.nameOf(here))) listener.hint(here)
    if (name === null) return
    const path = paths.join(here, name)
    if (unwatchTree(path) || filter.takesFile(inside(path))) listener.hint(path)
    // The include patterns apply to files. A folder may have any name.
    else if (kind === 'rename') void isFolder(path).then((is) => is && !isClosed && listener.hint(path))
  }

  /** Each new watch is a request to the server, so a watched folder keeps its watch. */
  const enter = async (path: string): Promise<void> => {
    if (isClosed) return
    if (inside(path) === '') {
      for (const [gone, { scan: seenIn }] of watched) if (seenIn !== scan) unwatch(gone)
      scan += 1
    }
    const known = watched.get(path)
    if (known !== undefined) {
      watched.set(path, { ...known, scan })
      return
    }
    try {
      const watcher = await thread.watch(paths.toOpen(path), (kind, name) => onEvent(path, kind, name), fail)
      const parent = parentOf(path)
      watched.set(path, { watcher, scan, parent, subfolders: new Set() })
      if (parent !== path) watched.get(parent)?.subfolders.add(path)
    } catch (error) {
      // A folder that vanished since it was opened is no error: its parent has reported the event.
      if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') fail(error)
    }
  }

  return { enter, close }
}
