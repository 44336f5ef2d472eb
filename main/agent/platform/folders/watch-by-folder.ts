import { type FSWatcher, type Stats, watch } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { FolderWatch, Sharing, WatchListener } from '../../ports/folders.ts'
import { DriveTimeoutError } from '../files/drive-calls.ts'
import { systemCode } from '../files/file-failure.ts'
import type { EventQueue } from './event-queue.ts'
import { createFolderFilter } from './folder-filter.ts'
import { describeWatchError } from './watch-error.ts'
import { startWatchThread, type WatchThread } from './watch-thread.ts'

type Watched = {
  readonly watcher: Pick<FSWatcher, 'close'>
  /** Number of the last scan that entered the folder. */
  readonly scan: number
  readonly parent: string
  /** Watched subfolders, so that removing a folder does not search through all watched folders. */
  readonly subfolders: Set<string>
}

export type WatchContext = {
  readonly sharing: Sharing
  readonly queue: EventQueue
  /** Like lstat, but rejects if the drive does not answer. */
  readonly statOf?: ((path: string) => Promise<Stats>) | undefined
}

/**
 * Linux reports events of one folder, not of its subfolders. So a scan starts a watch on every folder that it enters,
 * before it reads the folder: no file can slip in between. This needs no `stat` per file (chokidar makes one for every
 * file, and keeps it). A new folder causes an event in its parent, and the scan that follows enters the new folder.
 */
export const watchByFolder = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  { sharing, queue, statOf = lstat }: WatchContext,
): FolderWatch => {
  const filter = createFolderFilter(folder, paths)
  const inside = (path: string): string => paths.nameInside(folder.path, path) ?? ''
  const parentOf = (path: string): string => {
    const name = inside(path)
    return paths.join(folder.path, name.slice(0, Math.max(0, name.lastIndexOf('/'))))
  }
  const watched = new Map<string, Watched>()
  let scan = 0
  let isClosed = false
  let thread: WatchThread | null = null

  const remember = (path: string, one: Watched): void => {
    watched.set(path, one)
    if (one.parent !== path) watched.get(one.parent)?.subfolders.add(path)
  }

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

  const removeBurstListener = queue.onBurst(() => listener.hint(folder.path))

  const close = (): void => {
    isClosed = true
    removeBurstListener()
    for (const path of watched.keys()) unwatch(path)
    thread?.close()
  }

  const fail = (error: unknown): void => {
    if (isClosed) return
    close()
    listener.error(describeWatchError(error))
  }

  const isFolder = async (path: string): Promise<boolean> => {
    if (!filter.entersFolder(inside(path))) return false
    // If the drive hangs, assume a folder: the scan finds out.
    const stats = await statOf(path).catch((error: unknown) =>
      error instanceof DriveTimeoutError ? error : null,
    )
    return stats instanceof DriveTimeoutError || stats?.isDirectory() === true
  }

  const onEvent = (here: string, kind: string, name: string | null): void => {
    queue.count()
    // A removed folder reports its own name.
    if (name === null || (kind === 'rename' && name === paths.nameOf(here))) listener.hint(here)
    if (name === null) return
    const path = paths.join(here, name)
    if (unwatchTree(path) || filter.takesFile(inside(path))) listener.hint(path)
    // The include patterns apply to files. A folder may have any name.
    else if (kind === 'rename') void isFolder(path).then((is) => is && !isClosed && listener.hint(path))
  }

  /**
   * Each scan renews the watches: if a folder was replaced while the event queue was full, its old watch stays silent
   * for ever. On a share, each watch is a request to the server. There a folder is watched once, on a thread of its own
   * that can hang alone, and the scan finds new files.
   */
  const enter = (path: string): void | Promise<void> => {
    if (isClosed) return
    if (inside(path) === '') {
      for (const [gone, { scan: seenIn }] of watched) if (seenIn !== scan) unwatch(gone)
      scan += 1
    }
    const known = watched.get(path)
    if (known !== undefined && sharing === 'shared') {
      remember(path, { ...known, scan })
      return
    }
    if (sharing === 'shared') return watchShared(path)
    try {
      const watcher = watch(paths.toOpen(path), (kind, name) => onEvent(path, kind, name))
      watcher.on('error', fail)
      onStarted(path, watcher)
    } catch (error) {
      onStartFailed(error)
    }
  }

  const onStarted = (path: string, watcher: Watched['watcher']): void => {
    const subfolders = watched.get(path)?.subfolders ?? new Set()
    unwatch(path)
    remember(path, { watcher, scan, parent: parentOf(path), subfolders })
  }

  /** A folder that vanished since it was opened is no error: its parent has reported the event. */
  const onStartFailed = (error: unknown): void => {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') fail(error)
  }

  const watchShared = async (path: string): Promise<void> => {
    thread ??= startWatchThread()
    try {
      const watcher = await thread.watch(paths.toOpen(path), (kind, name) => onEvent(path, kind, name), fail)
      if (isClosed) watcher.close()
      else onStarted(path, watcher)
    } catch (error) {
      onStartFailed(error)
    }
  }

  return {
    enter,
    close: async () => close(),
  }
}
