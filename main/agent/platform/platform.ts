import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import type { Clock, Files, FolderEyes, HashThreads } from '../ports.ts'
import { fileExists, freeBytesOf, identifyFile, inspectFile } from './files/file-inspect.ts'
import { createOpenWriters } from './files/open-writers.ts'
import { createRecorderActivity } from './files/recorder-activity.ts'
import { openRecording } from './files/recording-file.ts'
import { scanFolder, volumeOf } from './folders/folder-scan.ts'
import { watchFolder } from './folders/folder-watch.ts'
import { createHashPool } from './hashing/hash-pool.ts'

export type Platform = {
  readonly eyes: FolderEyes
  readonly files: Files
  readonly hashing: HashThreads
  /** Threads of its own: a file that takes hours must not keep the small ones waiting. */
  readonly largeHashing: HashThreads
}

/** `watchedFolders` is asked again and again: settings change while running. */
export const createPlatform = (dependencies: {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly watchedFolders: () => readonly string[]
  readonly paths?: Paths
}): Platform => {
  const { clock, watchedFolders, paths = pathsOf(process.platform) } = dependencies
  const writers = createOpenWriters(clock)
  const shouldYield = createRecorderActivity(writers, watchedFolders, clock, paths)
  // Null once no folder of the settings has it: then nothing can be said of where it has to lie.
  const rootOf = (path: string) => paths.finder(watchedFolders())(path)
  const { toOpen } = paths
  const hashThreads = (): HashThreads => {
    const threads = createHashPool({ shouldYield, rootOf })
    return {
      ...threads,
      hash: (request) => threads.hash({ ...request, path: toOpen(request.path) }),
      md5: (path, start, length) => threads.md5(toOpen(path), start, length),
    }
  }
  return {
    eyes: {
      scan: (folder, signal) => scanFolder(folder, signal, paths),
      watch: (folder, listener) => watchFolder(folder, listener, paths),
      volumeOf: (path) => volumeOf(path, paths),
    },
    files: {
      identify: (path) => identifyFile(toOpen(path), rootOf(path)),
      inspect: (path) => inspectFile(toOpen(path), writers, rootOf(path)),
      open: (path) => openRecording(toOpen(path), rootOf(path)),
      exists: (path) => fileExists(toOpen(path)),
      freeBytes: (folder) => freeBytesOf(toOpen(folder)),
    },
    hashing: hashThreads(),
    largeHashing: hashThreads(),
  }
}
