import { type FSWatcher, watch } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings.ts'
import type { Listening, WatchListener } from '../../ports.ts'
import { systemCode } from '../files/file-failure.ts'
import type { EventQueue } from './event-queue.ts'
import { createFolderFilter } from './folder-filter.ts'
import { describeWatchError } from './watch-error.ts'

type Heard = {
  readonly watcher: FSWatcher
  readonly look: number
  readonly above: string
  /** Each of a tree that is removed announces its end: going through all that are heard for every one takes minutes. */
  readonly below: Set<string>
}

/** Of a path inside the watched folder. */
const folderOf = (inside: string): string => inside.slice(0, Math.max(0, inside.lastIndexOf('/')))

/**
 * Linux announces what happens in one folder, not below it. So every folder that a look enters is listened to, before
 * it is read: nothing can come between, and no file has to be asked for that (chokidar asks every one, and keeps them).
 * A folder that is new is announced by the one that it lies in; the look that follows enters it.
 */
export const listenByFolder = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  queue: EventQueue,
): Listening => {
  const filter = createFolderFilter(folder, paths)
  const inside = (path: string): string => paths.nameInside(folder.path, path) ?? ''
  const heard = new Map<string, Heard>()
  let look = 0
  let isOver = false

  /** What it was called belongs to something else now, and so does what lay below it. */
  const forget = (path: string): boolean => {
    const known = heard.get(path)
    if (known === undefined) return false
    known.watcher.close()
    heard.delete(path)
    heard.get(known.above)?.below.delete(path)
    for (const below of known.below) forget(below)
    return true
  }

  const unhear = queue.onFlood(() => listener.hint(folder.path))

  const end = (): void => {
    isOver = true
    unhear()
    for (const path of heard.keys()) forget(path)
  }

  const fail = (error: unknown): void => {
    if (isOver) return
    end()
    listener.error(describeWatchError(error))
  }

  const isFolder = async (path: string): Promise<boolean> => {
    const facts = await lstat(path).catch(() => null)
    return facts?.isDirectory() === true && filter.entersFolder(inside(path))
  }

  const onEvent = (here: string, kind: string, name: string | null): void => {
    queue.count()
    // A folder tells of its own end by its own name.
    if (name === null || (kind === 'rename' && name === paths.nameOf(here))) listener.hint(here)
    if (name === null) return
    const path = paths.join(here, name)
    const isHeard = heard.has(path)
    // A folder whose rights or times were touched: what is in it has not changed.
    if (isHeard && kind === 'change') return
    if (forget(path) || filter.takesFile(inside(path))) listener.hint(path)
    // Whatever the files have to be called, a folder may be called anything.
    else if (kind === 'rename') void isFolder(path).then((is) => is && !isOver && listener.hint(path))
  }

  /** Again at every look: one that was replaced while the system's queue was full would stay silent for ever. */
  const enter = (path: string): void => {
    if (isOver) return
    if (inside(path) === '') {
      for (const [gone, { look: seenIn }] of heard) if (seenIn !== look) forget(gone)
      look += 1
    }
    try {
      const watcher = watch(paths.toOpen(path), (kind, name) => onEvent(path, kind, name))
      watcher.on('error', fail)
      const known = heard.get(path)
      known?.watcher.close()
      const above = paths.join(folder.path, folderOf(inside(path)))
      heard.set(path, { watcher, look, above, below: known?.below ?? new Set() })
      if (above !== path) heard.get(above)?.below.add(path)
    } catch (error) {
      // Gone since it was opened: the folder that it lay in has said so.
      if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') fail(error)
    }
  }

  return {
    enter,
    close: async () => end(),
  }
}
