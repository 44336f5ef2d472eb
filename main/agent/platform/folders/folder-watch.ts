import { watch } from 'chokidar'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { FolderWatch, WatchListener } from '../../ports/folders.ts'
import { createFolderFilter } from './folder-filter.ts'
import { type WatchContext, watchByFolder } from './watch-by-folder.ts'
import { describeWatchError } from './watch-error.ts'

export const watchFolder = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  context: WatchContext,
): FolderWatch =>
  process.platform === 'linux'
    ? watchByFolder(folder, listener, paths, context)
    : watchTree(folder, listener, paths)

/**
 * Gives hints only: a full event queue drops events silently, and a remounted root sends none. The scan is
 * authoritative, and another module decides whether a file is finished. So chokidar's own checks for that are off.
 */
export const watchTree = (folder: FolderSettings, listener: WatchListener, paths: Paths): FolderWatch => {
  const filter = createFolderFilter(folder, paths)
  const inside = (path: string): string => paths.nameInside(folder.path, path) ?? ''
  try {
    const watcher = watch(folder.path, {
      ignoreInitial: true,
      awaitWriteFinish: false,
      atomic: false,
      followSymlinks: false,
      ...(folder.recursive ? {} : { depth: 0 }),
      // Without stats the kind is unknown; chokidar calls this again with stats.
      ignored: (path, stats) =>
        stats?.isDirectory() === true && inside(path) !== '' && !filter.entersFolder(inside(path)),
    })
    const hint = (path: string): void => {
      if (filter.takesFile(inside(path))) listener.hint(path)
    }
    watcher.on('add', hint).on('change', hint).on('unlink', hint)
    // A folder that is moved in brings files without events.
    watcher.on('addDir', listener.hint).on('unlinkDir', listener.hint)
    watcher.on('ready', listener.ready)
    watcher.on('error', (error) => listener.error(describeWatchError(error)))
    return { enter: null, close: () => watcher.close() }
  } catch (error) {
    listener.error(describeWatchError(error))
    return { enter: null, close: async () => {} }
  }
}
