import type { Clock, Files, FolderEyes, HashThreads } from '../ports.ts'
import { fileExists, freeBytesOf, identifyFile, inspectFile } from './files/file-inspect.ts'
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
  /** Every folder that was ever watched: what was found in one that left the settings is still on its way. */
  readonly knownFolders: () => readonly string[]
}): Platform => {
  const { clock, watchedFolders, knownFolders } = dependencies
  const writers = createOpenWriters(clock)
  const shouldYield = createRecorderActivity(writers, watchedFolders, clock)
  const rootOf = (path: string) => rootAmong(watchedFolders(), path) ?? rootAmong(knownFolders(), path)
  return {
    eyes: { scan: scanFolder, watch: watchFolder, volumeOf },
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
