import { watch } from 'chokidar'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { Listening, WatchListener } from '../../ports/folders.ts'
import { createFolderFilter } from './folder-filter.ts'
import { type ListeningPlace, listenByFolder } from './watch-by-folder.ts'
import { describeWatchError } from './watch-error.ts'

export const watchFolder = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  here: ListeningPlace,
): Listening =>
  process.platform === 'linux'
    ? listenByFolder(folder, listener, paths, here)
    : listenToTree(folder, listener, paths)

/**
 * Hints only: a full event queue drops events without a word, a root that comes back gives none. The scan is the
 * truth, and whether a file is finished is decided elsewhere, so chokidar's own guesses about it stay off.
 */
export const listenToTree = (folder: FolderSettings, listener: WatchListener, paths: Paths): Listening => {
  const filter = createFolderFilter(folder, paths)
  const inside = (path: string): string => paths.nameInside(folder.path, path) ?? ''
  try {
    const watcher = watch(folder.path, {
      ignoreInitial: true,
      awaitWriteFinish: false,
      atomic: false,
      followSymlinks: false,
      ...(folder.recursive ? {} : { depth: 0 }),
      // Without stats the kind is not known yet; chokidar asks again once it is.
      ignored: (path, stats) =>
        stats?.isDirectory() === true && inside(path) !== '' && !filter.entersFolder(inside(path)),
    })
    const hint = (path: string): void => {
      if (filter.takesFile(inside(path))) listener.hint(path)
    }
    watcher.on('add', hint).on('change', hint).on('unlink', hint)
    // A folder moved in brings files that give no events of their own.
    watcher.on('addDir', listener.hint).on('unlinkDir', listener.hint)
    watcher.on('ready', listener.ready)
    watcher.on('error', (error) => listener.error(describeWatchError(error)))
    return { enter: null, close: () => watcher.close() }
  } catch (error) {
    listener.error(describeWatchError(error))
    return { enter: null, close: async () => {} }
  }
}
