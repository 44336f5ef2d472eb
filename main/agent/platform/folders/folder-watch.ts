import type { Stats } from 'node:fs'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { isOnCard } from '../../domain/drive-safety.ts'
import type { FolderWatch, ScannedFolder, WatchListener } from '../../ports/folders.ts'
import type { EventQueue } from './event-queue.ts'
import { watchShare } from './watch-share.ts'
import { watchTree } from './watch-tree.ts'

export type WatchContext = ScannedFolder & {
  readonly queue: EventQueue
  /** Like lstat, but rejects if the drive does not answer. */
  readonly statOf: (path: string) => Promise<Stats>
}

/** With more files, chokidar blocks the event loop for seconds when it starts (measured by `npm run bench -- scan`). */
const MAX_CHOKIDAR_FILES = 20_000

/**
 * Uses chokidar. But on Linux, `watchShare` watches these folders instead:
 *
 * - folders on cards and on drives that may be shared. When chokidar starts, it stats all files. On a hung share or a
 *   failing card, this would occupy all threads of the pool, and starting a watch would block the event loop.
 * - folders with more than `MAX_CHOKIDAR_FILES` files
 * - folders with a backslash in their path, because chokidar treats the backslash as a separator
 */
export const watchFolder = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  { sharing, files, queue, statOf }: WatchContext,
): FolderWatch => {
  const isForChokidar =
    sharing === 'own' && files <= MAX_CHOKIDAR_FILES && !isOnCard(folder.path) && !folder.path.includes('\\')
  return process.platform !== 'linux' || isForChokidar
    ? watchTree(folder, listener, paths, queue)
    : watchShare(folder, listener, paths, statOf)
}
