import { type FSWatcher, type Stats, watch } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { Listening, Sharing, WatchListener } from '../../ports/folders.ts'
import { DriveSilentError } from '../files/drive-calls.ts'
import { systemCode } from '../files/file-failure.ts'
import type { EventQueue } from './event-queue.ts'
import { createFolderFilter } from './folder-filter.ts'
import { describeWatchError } from './watch-error.ts'
import { startWatchThread, type WatchThread } from './watch-thread.ts'

type Heard = {
  readonly watcher: Pick<FSWatcher, 'close'>
  readonly look: number
  readonly parent: string
  /** What is removed is announced folder by folder: for none of them all the others may have to be looked through. */
  readonly inner: Set<string>
}

export type ListeningPlace = {
  readonly sharing: Sharing
  readonly queue: EventQueue
  /** As lstat, and rejects where the drive does not answer. */
  readonly statOf?: ((path: string) => Promise<Stats>) | undefined
}

/**
 * Linux announces what happens in one folder, not below it. So every folder that a look enters is listened to, before
 * it is read: nothing can come between, and no file has to be asked for that (chokidar asks every one, and keeps them).
 * A folder that is new is announced by the one that it lies in; the look that follows enters it.
 */
export const listenByFolder = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  { sharing, queue, statOf = lstat }: ListeningPlace,
): Listening => {
  const filter = createFolderFilter(folder, paths)
  const inside = (path: string): string => paths.nameInside(folder.path, path) ?? ''
  const parentOf = (path: string): string => {
    const name = inside(path)
    return paths.join(folder.path, name.slice(0, Math.max(0, name.lastIndexOf('/'))))
  }
  const heard = new Map<string, Heard>()
  let look = 0
  let isOver = false
  let thread: WatchThread | null = null

  const hear = (path: string, one: Heard): void => {
    heard.set(path, one)
    if (one.parent !== path) heard.get(one.parent)?.inner.add(path)
  }

  const forget = (path: string): boolean => {
    const known = heard.get(path)
    if (known === undefined) return false
    known.watcher.close()
    heard.delete(path)
    heard.get(known.parent)?.inner.delete(path)
    return true
  }

  /** What it was called belongs to something else now, and so does what lay below it. */
  const forgetTree = (path: string): boolean => {
    for (const below of heard.get(path)?.inner ?? []) forgetTree(below)
    return forget(path)
  }

  const stopAtFlood = queue.onFlood(() => listener.hint(folder.path))

  const end = (): void => {
    isOver = true
    stopAtFlood()
    for (const path of heard.keys()) forget(path)
    thread?.close()
  }

  const fail = (error: unknown): void => {
    if (isOver) return
    end()
    listener.error(describeWatchError(error))
  }

  const isFolder = async (path: string): Promise<boolean> => {
    if (!filter.entersFolder(inside(path))) return false
    // A drive that does not answer may hide a folder: a look finds out.
    const facts = await statOf(path).catch((error: unknown) =>
      error instanceof DriveSilentError ? error : null,
    )
    return facts instanceof DriveSilentError || facts?.isDirectory() === true
  }

  const onEvent = (here: string, kind: string, name: string | null): void => {
    queue.count()
    // A folder tells of its own end by its own name.
    if (name === null || (kind === 'rename' && name === paths.nameOf(here))) listener.hint(here)
    if (name === null) return
    const path = paths.join(here, name)
    if (forgetTree(path) || filter.takesFile(inside(path))) listener.hint(path)
    // Whatever the files have to be called, a folder may be called anything.
    else if (kind === 'rename') void isFolder(path).then((is) => is && !isOver && listener.hint(path))
  }

  /**
   * Again at every look: one that was replaced while the system's queue was full would stay silent for ever. But not on a
   * share, where to listen asks the server: once for each folder, on a thread of its own, which alone hangs if the
   * server does not answer. There the look is what finds new files.
   */
  const enter = (path: string): void | Promise<void> => {
    if (isOver) return
    if (inside(path) === '') {
      for (const [gone, { look: seenIn }] of heard) if (seenIn !== look) forget(gone)
      look += 1
    }
    const known = heard.get(path)
    if (known !== undefined && sharing === 'shared') {
      hear(path, { ...known, look })
      return
    }
    if (sharing === 'shared') return enterShared(path)
    try {
      const watcher = watch(paths.toOpen(path), (kind, name) => onEvent(path, kind, name))
      watcher.on('error', fail)
      begun(path, watcher)
    } catch (error) {
      notBegun(error)
    }
  }

  const begun = (path: string, watcher: Heard['watcher']): void => {
    const inner = heard.get(path)?.inner ?? new Set()
    forget(path)
    hear(path, { watcher, look, parent: parentOf(path), inner })
  }

  /** Gone since it was opened: the folder that it lay in has said so. */
  const notBegun = (error: unknown): void => {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') fail(error)
  }

  const enterShared = async (path: string): Promise<void> => {
    thread ??= startWatchThread()
    try {
      const watcher = await thread.watch(paths.toOpen(path), (kind, name) => onEvent(path, kind, name), fail)
      if (isOver) watcher.close()
      else begun(path, watcher)
    } catch (error) {
      notBegun(error)
    }
  }

  return {
    enter,
    close: async () => end(),
  }
}
