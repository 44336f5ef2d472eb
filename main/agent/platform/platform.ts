import { lstat, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import { done, failed, type Outcome } from '../domain/failure.ts'
import type { Clock, Log } from '../ports/clock.ts'
import type { FileOperations, Files } from '../ports/files.ts'
import type { Drives, FolderAccess } from '../ports/folders.ts'
import type { HashThreads, RunningHashes } from '../ports/hashing.ts'
import type { InspectionThread } from '../ports/inspection.ts'
import { DriveCalls, onDriveTimeout } from './files/drive-calls.ts'
import { driveOf } from './files/drive-space.ts'
import { fileFailure } from './files/file-failure.ts'
import {
  fileExists,
  freeBytesOf,
  identifyFile,
  inspectFile,
  readTextOf,
  statWithoutOpening,
} from './files/file-inspect.ts'
import { createFileOperations } from './files/file-operations.ts'
import { createGrowingFiles } from './files/growing-files.ts'
import { createOpenWriters } from './files/open-writers.ts'
import { createOwnCopies, type OwnCopies } from './files/own-copies.ts'
import { presenceOf } from './files/path-presence.ts'
import { createRecorderActivity } from './files/recorder-activity.ts'
import { openRecording } from './files/recording-file.ts'
import { createRemovableCheck } from './files/removable-drive.ts'
import { createSendThrottle } from './files/send-throttle.ts'
import { loadDirectoryCalls } from './files/windows-native.ts'
import type { OpenWriters } from './files/writers.ts'
import { createWrittenFiles, type WrittenFiles } from './files/written-files.ts'
import { createEventQueue } from './folders/event-queue.ts'
import { hungFolder, scanFolder, volumeOf } from './folders/folder-scan.ts'
import { watchFolder } from './folders/folder-watch.ts'
import { sharingOf } from './folders/network-drive.ts'
import { isExported } from './folders/nfs-exports.ts'
import { statFilesOn } from './folders/stat-files.ts'
import { createListHidden, listHiddenOnceLoaded } from './folders/windows-attributes.ts'
import { createDriveWrites } from './hashing/drive-writes.ts'
import { createHashPool } from './hashing/hash-pool.ts'
import { createRunningHashes } from './hashing/running-hashes.ts'
import { createInspectionThread } from './inspection/inspection-thread.ts'

export type Platform = {
  readonly folderAccess: FolderAccess
  readonly files: Files
  readonly operations: FileOperations
  readonly drives: Drives
  readonly hashing: HashThreads
  /** Large files have their own threads, so that small files need not wait for them. */
  readonly largeHashing: HashThreads
  /** Files that still grow have their own threads, so that they need not wait for a backlog. */
  readonly runningHashes: RunningHashes
  readonly inspection: InspectionThread
  /** Ends the threads. */
  readonly close: () => Promise<void>
}

/** Calls `watchedFolders` whenever it needs the folders, because settings can change while the agent runs. */
export const createPlatform = (dependencies: {
  readonly clock: Clock
  readonly watchedFolders: () => readonly string[]
  /** Every folder that was ever watched: recordings of a removed folder may still be uploading. */
  readonly knownFolders: () => readonly string[]
  /** Folders that Sluice moves files to, including earlier ones that may still contain copies. */
  readonly targetFolders?: () => readonly string[]
  readonly log: Log
  readonly paths?: Paths
  readonly driveTimeoutMs?: number
  /**
   * If Sluice runs in a container: whether all recorders run in the same container. Sluice then sees their open files.
   */
  readonly recordersInContainer?: boolean
}): Platform => {
  const {
    clock,
    watchedFolders,
    knownFolders,
    targetFolders = () => [],
    log,
    paths = pathsOf(process.platform),
    driveTimeoutMs,
    recordersInContainer = false,
  } = dependencies
  const { toOpen } = paths
  const calls = new DriveCalls({ timeoutMs: driveTimeoutMs })
  const rootOf = (path: string) =>
    paths.finder(watchedFolders())(path) ??
    paths.finder(knownFolders())(path) ??
    paths.finder(targetFolders())(path)
  /** Runs a call on the recording's drive. A drive timeout becomes a failure. */
  const onDriveOf = <T>(path: string, call: () => Promise<Outcome<T>>): Promise<Outcome<T>> =>
    calls.run(rootOf(path), call).catch((error: unknown) => failed(fileFailure(error)))
  const writers = createOpenWriters(clock, log, recordersInContainer)
  const listHidden =
    process.platform === 'win32'
      ? listHiddenOnceLoaded(async () => createListHidden(await loadDirectoryCalls()), log)
      : null
  const growingFiles = createGrowingFiles(
    (path) => calls.run(rootOf(path), () => statWithoutOpening(toOpen(path))).catch(() => null),
    clock,
  )
  const listWrittenFiles: WrittenFiles =
    writers.list === null
      ? async () => (await growingFiles.paths()).map((path) => ({ path, bulkVolume: null }))
      : createWrittenFiles(writers.list, clock)
  const ownCopies = createOwnCopies()
  const shouldYield = createRecorderActivity(
    listWrittenFiles,
    watchedFolders,
    clock,
    paths,
    calls,
    createDriveWrites(),
    ownCopies.stateOf,
  )
  const throttle = createSendThrottle(shouldYield, clock, (ms) => sleep(ms))
  const createHashThreads = (): HashThreads => {
    const threads = createHashPool({ shouldYield, ownCopies: ownCopies.stateOf, rootOf, calls })
    return {
      ...threads,
      hash: (request) => threads.hash({ ...request, path: toOpen(request.path) }),
      digest: (algorithm, path, range) => threads.digest(algorithm, toOpen(path), range),
    }
  }
  const hashing = createHashThreads()
  const largeHashing = createHashThreads()
  // A recorder still writes a growing file, so this hash always yields.
  const growingHashes = createRunningHashes({ shouldYield: () => true, rootOf, calls })
  const runningHashes: RunningHashes = {
    ...growingHashes,
    advance: (request) => growingHashes.advance({ ...request, path: toOpen(request.path) }),
    finish: (request) => growingHashes.finish({ ...request, path: toOpen(request.path) }),
  }
  const inspections = createInspectionThread({ rootOf, calls })
  const inspection: InspectionThread = {
    ...inspections,
    inspect: (request) => inspections.inspect({ ...request, path: toOpen(request.path) }),
  }
  /** Null if the drive cannot be read. The copy itself then reports the error. */
  const deviceOf = (folder: string) =>
    calls
      .run(folder, () => stat(toOpen(folder), { bigint: true }))
      .then(({ dev }) => String(dev))
      .catch(() => null)
  const isRemovable = createRemovableCheck(paths)
  const queue = createEventQueue()
  const folderAccess: FolderAccess = {
    scan: (folder, signal, enter) =>
      calls
        .runSequence(folder.path, async (restartTimeout) => {
          const statFiles = statFilesOn[await sharingOf(folder.path, paths)]
          const result = await scanFolder(folder, signal, {
            paths,
            listHidden,
            statFiles,
            restartTimeout,
            enter,
          })
          if (result.kind === 'scanned') calls.setDevice(folder.path, result.volume.device)
          return result
        })
        .catch(onDriveTimeout(hungFolder(folder.path))),
    watch: (folder, listener, scanned) => {
      const statOf = (path: string) => calls.run(folder.path, () => lstat(toOpen(path)))
      return watchFolder(folder, listener, paths, { ...scanned, queue, statOf })
    },
    volumeOf: (path) => calls.run(path, () => volumeOf(path, paths)).catch(onDriveTimeout(null)),
    sharing: (path) => calls.run(path, () => sharingOf(path, paths)).catch(onDriveTimeout('shared')),
  }
  return {
    folderAccess: writers.list === null ? trackGrowth(growingFiles, folderAccess) : folderAccess,
    files: {
      identify: (path) => onDriveOf(path, () => identifyFile(toOpen(path), rootOf(path))),
      inspect: async (path, check) => {
        // The Restart Manager needs the plain path: it may not understand `\\?\`.
        const writerOf: OpenWriters['writerOf'] = (_, identity) => writers.writerOf(path, identity, check)
        const root = rootOf(path)
        const outcome = await inspectFile(toOpen(path), { writerOf }, root, (call) => onDriveOf(path, call))
        if (!outcome.ok) return outcome
        // A share may be mounted inside a watched folder, so check the file's own folder.
        const sharing = await calls
          .run(root, async () => {
            const folder = paths.resolve(path, '..')
            return (await isExported(folder, paths)) ? 'shared' : sharingOf(folder, paths)
          })
          .catch(onDriveTimeout('shared'))
        return sharing === 'own' ? outcome : done({ ...outcome.value, shared: true })
      },
      open: (path) => openRecording(toOpen(path), rootOf(path), throttle, calls),
      // A timeout does not prove that the file is missing.
      exists: (path) => calls.run(rootOf(path), () => fileExists(toOpen(path))).catch(onDriveTimeout(true)),
      presence: (path) =>
        calls.run(rootOf(path), () => presenceOf(path, rootOf(path), paths)).catch(onDriveTimeout('unknown')),
      readText: (path, maxBytes) => onDriveOf(path, () => readTextOf(toOpen(path), maxBytes, rootOf(path))),
      freeBytes: (folder) => calls.run(folder, () => freeBytesOf(toOpen(folder))).catch(onDriveTimeout(null)),
    },
    operations: registerCopies(
      createFileOperations(
        toOpen,
        // The deepest of these folders counts, because a move target may lie in a folder that was watched before.
        (path) => paths.finder([...watchedFolders(), ...knownFolders(), ...targetFolders()])(path),
        calls,
      ),
      ownCopies,
      deviceOf,
    ),
    drives: { of: (folder) => driveOf(folder, paths, isRemovable) },
    hashing,
    largeHashing,
    runningHashes,
    inspection,
    close: async () => {
      await Promise.all([hashing.close(), largeHashing.close(), growingHashes.close(), inspections.close()])
    },
  }
}

/**
 * Registers each copy while it runs, so that Sluice does not mistake its own writes for those of a recorder. `copy`
 * syncs the file before it returns, so none of its writes reach the drive later.
 */
const registerCopies = (
  operations: FileOperations,
  ownCopies: OwnCopies,
  deviceOf: (folder: string) => Promise<string | null>,
): FileOperations => ({
  ...operations,
  copy: async (from, to, ...rest) => {
    const device = await deviceOf(dirname(to))
    const end = device === null ? () => {} : ownCopies.begin(device)
    try {
      return await operations.copy(from, to, ...rest)
    } finally {
      end()
    }
  },
})

/**
 * Used on systems that do not list writers. Passes scan results and events to `growingFiles`, which checks whether
 * files grow.
 */
const trackGrowth = (
  growingFiles: ReturnType<typeof createGrowingFiles>,
  folderAccess: FolderAccess,
): FolderAccess => ({
  ...folderAccess,
  scan: async (folder, signal, enter) => {
    const result = await folderAccess.scan(folder, signal, enter)
    if (result.kind === 'scanned') growingFiles.noteScan(result.files)
    return result
  },
  watch: (folder, listener, scanned) =>
    folderAccess.watch(
      folder,
      {
        ...listener,
        hint: (path) => {
          growingFiles.note(path)
          listener.hint(path)
        },
      },
      scanned,
    ),
})
