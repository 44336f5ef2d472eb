import { lstat, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import { failed, type Outcome } from '../domain/failure.ts'
import type { Clock, Log } from '../ports/clock.ts'
import type { FileActs, Files } from '../ports/files.ts'
import type { Drives, FolderEyes } from '../ports/folders.ts'
import type { HashThreads, RunningHashes } from '../ports/hashing.ts'
import { DriveCalls, unlessSilent } from './files/drive-calls.ts'
import { driveOf } from './files/drive-space.ts'
import { createFileActs } from './files/file-acts.ts'
import { fileFailure } from './files/file-failure.ts'
import {
  factsOf,
  fileExists,
  freeBytesOf,
  identifyFile,
  inspectFile,
  readTextOf,
} from './files/file-inspect.ts'
import { createGrowingFiles } from './files/growing-files.ts'
import { createOpenWriters, type OpenWriters } from './files/open-writers.ts'
import { createOwnCopies, type OwnCopies } from './files/own-copies.ts'
import { createRecorderActivity } from './files/recorder-activity.ts'
import { openRecording } from './files/recording-file.ts'
import { createSendPace } from './files/send-throttle.ts'
import { loadDirectoryCalls } from './files/windows-native.ts'
import { createWrittenFiles, type WrittenFiles } from './files/written-files.ts'
import { createEventQueue } from './folders/event-queue.ts'
import { factsOn } from './folders/file-facts.ts'
import { scanFolder, silentFolder, volumeOf } from './folders/folder-scan.ts'
import { watchFolder } from './folders/folder-watch.ts'
import { sharingOf } from './folders/network-drive.ts'
import { createListHidden, lazyListHidden } from './folders/windows-attributes.ts'
import { createDriveWrites } from './hashing/drive-writes.ts'
import { createHashPool } from './hashing/hash-pool.ts'
import { createRunningHashes } from './hashing/running-hashes.ts'

export type Platform = {
  readonly eyes: FolderEyes
  readonly files: Files
  readonly acts: FileActs
  readonly drives: Drives
  readonly hashing: HashThreads
  /** Threads of its own: a file that takes hours must not keep the small ones waiting. */
  readonly largeHashing: HashThreads
  /** Threads of its own: what is being recorded waits for no backlog. */
  readonly runningHashes: RunningHashes
  /** Ends the threads. */
  readonly close: () => Promise<void>
}

/** `watchedFolders` is asked again and again: settings change while running. */
export const createPlatform = (dependencies: {
  readonly clock: Clock
  readonly watchedFolders: () => readonly string[]
  /** Every folder that was ever watched: what was found in one that left the settings is still on its way. */
  readonly knownFolders: () => readonly string[]
  /** Folders that files are, or were about to be, moved to. */
  readonly targetFolders?: () => readonly string[]
  readonly log: Log
  readonly paths?: Paths
  readonly drivePatienceMs?: number
}): Platform => {
  const {
    clock,
    watchedFolders,
    knownFolders,
    targetFolders = () => [],
    log,
    paths = pathsOf(process.platform),
    drivePatienceMs,
  } = dependencies
  const { toOpen } = paths
  const calls = new DriveCalls({ patienceMs: drivePatienceMs })
  const rootOf = (path: string) =>
    paths.finder(watchedFolders())(path) ??
    paths.finder(knownFolders())(path) ??
    paths.finder(targetFolders())(path)
  /** What the recording's drive says, or that it says nothing. */
  const ask = <T>(path: string, call: () => Promise<Outcome<T>>): Promise<Outcome<T>> =>
    calls.ask(rootOf(path), call).catch((error: unknown) => failed(fileFailure(error)))
  const writers = createOpenWriters(clock, log)
  const listHidden =
    process.platform === 'win32'
      ? lazyListHidden(async () => createListHidden(await loadDirectoryCalls()), log)
      : null
  const growing = createGrowingFiles(
    (path) => calls.ask(rootOf(path), () => factsOf(toOpen(path))).catch(() => null),
    clock,
  )
  const written: WrittenFiles =
    writers.list === null
      ? async () => (await growing.paths()).map((path) => ({ path, bulkOn: null }))
      : createWrittenFiles(writers.list, clock)
  const ownCopies = createOwnCopies()
  const shouldYield = createRecorderActivity(
    written,
    watchedFolders,
    clock,
    paths,
    calls,
    createDriveWrites(),
    ownCopies.stateOf,
  )
  const pace = createSendPace(shouldYield, clock, (ms) => sleep(ms))
  const hashThreads = (): HashThreads => {
    const threads = createHashPool({ shouldYield, ownCopies: ownCopies.stateOf, rootOf, calls })
    return {
      ...threads,
      hash: (request) => threads.hash({ ...request, path: toOpen(request.path) }),
      digest: (algorithm, path, range) => threads.digest(algorithm, toOpen(path), range),
    }
  }
  const hashing = hashThreads()
  const largeHashing = hashThreads()
  // By its nature beside a recorder.
  const running = createRunningHashes({ shouldYield: () => true, rootOf, calls })
  const runningHashes: RunningHashes = {
    ...running,
    advance: (request) => running.advance({ ...request, path: toOpen(request.path) }),
    finish: (request) => running.finish({ ...request, path: toOpen(request.path) }),
  }
  /** Null where the drive does not answer: the copy itself tells that. */
  const deviceOf = (folder: string) =>
    calls
      .ask(folder, () => stat(toOpen(folder), { bigint: true }))
      .then(({ dev }) => String(dev))
      .catch(() => null)
  const queue = createEventQueue()
  const eyes: FolderEyes = {
    scan: (folder, signal, enter) =>
      calls
        .follow(folder.path, async (alive) => {
          const factsOf = factsOn[await sharingOf(folder.path, paths)]
          const result = await scanFolder(folder, signal, { paths, listHidden, factsOf, alive, enter })
          if (result.kind === 'scanned') calls.liesOn(folder.path, result.volume.device)
          return result
        })
        .catch(unlessSilent(silentFolder(folder.path))),
    watch: (folder, listener, sharing) => {
      const statOf = (path: string) => calls.ask(folder.path, () => lstat(toOpen(path)))
      return watchFolder(folder, listener, paths, { sharing, queue, statOf })
    },
    volumeOf: (path) => calls.ask(path, () => volumeOf(path, paths)).catch(unlessSilent(null)),
    sharing: (path) => calls.ask(path, () => sharingOf(path, paths)).catch(unlessSilent('shared')),
  }
  return {
    eyes: writers.list === null ? noting(growing, eyes) : eyes,
    files: {
      identify: (path) => ask(path, () => identifyFile(toOpen(path), rootOf(path))),
      inspect: (path, look) => {
        // The Restart Manager is asked by the plain path: it is not known to read `\\?\`.
        const writerOf: OpenWriters['writerOf'] = (_, identity) => writers.writerOf(path, identity, look)
        return inspectFile(toOpen(path), { writerOf }, rootOf(path), (call) => ask(path, call))
      },
      open: (path) => openRecording(toOpen(path), rootOf(path), pace, calls),
      // No answer is no proof of absence.
      exists: (path) => calls.ask(rootOf(path), () => fileExists(toOpen(path))).catch(unlessSilent(true)),
      readText: (path, mostBytes) => ask(path, () => readTextOf(toOpen(path), mostBytes, rootOf(path))),
      freeBytes: (folder) => calls.ask(folder, () => freeBytesOf(toOpen(folder))).catch(unlessSilent(null)),
    },
    acts: countingCopies(
      createFileActs(
        toOpen,
        // A folder that files are moved to may lie in one that was watched before.
        (path) => paths.finder([...watchedFolders(), ...knownFolders(), ...targetFolders()])(path),
        calls,
      ),
      ownCopies,
      deviceOf,
    ),
    drives: { of: (folder) => driveOf(folder, paths) },
    hashing,
    largeHashing,
    runningHashes,
    close: async () => {
      await Promise.all([hashing.close(), largeHashing.close(), running.close()])
    },
  }
}

/** A copy ends with all of it on the drive (it is synced), so that its count is others' again. */
const countingCopies = (
  acts: FileActs,
  ownCopies: OwnCopies,
  deviceOf: (folder: string) => Promise<string | null>,
): FileActs => ({
  ...acts,
  copy: async (from, to, ...rest) => {
    const device = await deviceOf(dirname(to))
    const end = device === null ? () => {} : ownCopies.begin(device)
    try {
      return await acts.copy(from, to, ...rest)
    } finally {
      end()
    }
  },
})

/** Where the system has no list of writers, what is scanned and announced tells where to look for growth. */
const noting = (growing: ReturnType<typeof createGrowingFiles>, eyes: FolderEyes): FolderEyes => ({
  ...eyes,
  scan: async (folder, signal, enter) => {
    const result = await eyes.scan(folder, signal, enter)
    if (result.kind === 'scanned') growing.noteScan(result.files)
    return result
  },
  watch: (folder, listener, sharing) =>
    eyes.watch(
      folder,
      {
        ...listener,
        hint: (path) => {
          growing.note(path)
          listener.hint(path)
        },
      },
      sharing,
    ),
})
