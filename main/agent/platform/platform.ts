import type { Clock, Files, FolderEyes, HashThreads, Log } from '../ports.ts'
import { factsOf, fileExists, freeBytesOf, identifyFile, inspectFile } from './files/file-inspect.ts'
import { createGrowingFiles } from './files/growing-files.ts'
import { rootAmong } from './files/inside-root.ts'
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
  readonly log: Log
}): Platform => {
  const { clock, watchedFolders, log } = dependencies
  const writers = createOpenWriters(clock, log)
  const rootOf = (path: string) => rootAmong(watchedFolders(), path)
  const growing = createGrowingFiles(factsOf, clock)
  const shouldYield = createRecorderActivity({ paths: writers.paths ?? growing.paths }, watchedFolders, clock)
  return {
    eyes: writers.paths === null ? noting(growing) : { scan: scanFolder, watch: watchFolder, volumeOf },
    files: {
      identify: (path) => identifyFile(path, rootOf(path)),
      inspect: (path) => inspectFile(path, writers, rootOf(path)),
      open: (path) => openRecording(path, rootOf(path)),
      exists: fileExists,
      freeBytes: freeBytesOf,
    },
    hashing: createHashPool({ shouldYield, rootOf }),
    largeHashing: createHashPool({ shouldYield, rootOf }),
  }
}

/** Where the system has no list of writers, what is scanned and announced tells where to look for growth. */
const noting = (growing: ReturnType<typeof createGrowingFiles>): FolderEyes => ({
  volumeOf,
  scan: async (folder, signal) => {
    const result = await scanFolder(folder, signal)
    if (result.kind === 'scanned') growing.noteScan(result.files)
    return result
  },
  watch: (folder, listener) =>
    watchFolder(folder, {
      ...listener,
      hint: (path) => {
        growing.note(path)
        listener.hint(path)
      },
    }),
})
