import type { Stats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { type FSWatcher, watch } from 'chokidar'
import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import type { FolderWatch, WatchListener } from '../../ports/folders.ts'
import { systemCode } from '../files/file-failure.ts'
import type { EventQueue } from './event-queue.ts'
import { createStormCheck, stormError } from './event-storm.ts'
import { createFolderFilter } from './folder-filter.ts'
import { describeWatchError } from './watch-error.ts'

/** `followSymlinks` is off, so chokidar gets the resolved path of a folder that is a link. */
const targetOf = async (path: string): Promise<string> => {
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
  return isLink ? realpath(path).catch(() => path) : path
}

/**
 * The events of chokidar are only hints, because some are lost: a full event queue drops events, and a remounted folder
 * sends none. Only the scan is reliable.
 */
export const watchTree = (
  folder: FolderSettings,
  listener: WatchListener,
  paths: Paths,
  queue: EventQueue,
): FolderWatch => {
  const filter = createFolderFilter(folder, paths)
  const target = targetOf(folder.path)
  const isInStorm = createStormCheck()
  let watcher: FSWatcher | null = null
  let isClosed = false

  /** Ends the events at once, even if a hung drive delays the closing. */
  const stop = (): void => {
    watcher?.close().catch(() => {})
    watcher = null
  }

  const start = (root: string): void => {
    if (isClosed) return
    stop()
    const relativeName = (path: string): string => paths.nameInside(root, path) ?? ''
    const hint = (path: string): void => listener.hint(paths.join(folder.path, relativeName(path)))
    const hintAtFile = (path: string): void => {
      if (filter.takesFile(relativeName(path))) hint(path)
    }
    /**
     * Chokidar calls this without stats first. The name may then be a file or a folder, so both filters must exclude
     * it.
     */
    const isIgnored = (name: string, stats?: Stats): boolean =>
      name !== '' && !filter.entersFolder(name) && (stats?.isDirectory() === true || !filter.takesFile(name))
    watcher = watch(root, {
      ignoreInitial: true,
      awaitWriteFinish: false,
      atomic: false,
      followSymlinks: false,
      ...(folder.recursive ? {} : { depth: 0 }),
      ignored: (path, stats) => isIgnored(relativeName(path), stats),
    })
    watcher.on('add', hintAtFile).on('change', hintAtFile).on('unlink', hintAtFile)
    // A new folder may contain recordings, and a removed folder may have contained some. So both events are hints.
    watcher.on('addDir', hint).on('unlinkDir', hint)
    watcher.on('raw', () => {
      queue.count()
      // During a storm, this turn of the event loop never ends. Only closing the watch in this callback ends it.
      if (!isClosed && isInStorm()) fail(stormError())
    })
    watcher.on('ready', listener.ready)
    watcher.on('error', (error) => {
      // One unreadable entry does not end the watch. The scan reports it.
      if (!isAboutEntry(error) || relativeName(error.path ?? '') === '') fail(error)
    })
  }

  const fail = (error: unknown): void => {
    close()
    listener.error(describeWatchError(error))
  }

  /** After lost events, chokidar may still watch a folder that was replaced, so the watch restarts. */
  const removeBurstListener = queue.onBurst(() => {
    listener.hint(folder.path)
    void target.then(start)
  })

  const close = (): void => {
    isClosed = true
    removeBurstListener()
    stop()
  }

  void target.then(start)
  return { enter: null, close }
}

const entryCodes: ReadonlySet<string | null> = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG', 'EILSEQ', 'ELOOP'])

const isAboutEntry = (error: unknown): error is NodeJS.ErrnoException => entryCodes.has(systemCode(error))
