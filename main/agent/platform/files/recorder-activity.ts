import { realpath, stat } from 'node:fs/promises'
import { type Paths, pathsOf } from '../../../../shared/paths/paths.ts'
import type { Clock } from '../../ports/clock.ts'
import { createDriveWrites, type DriveWrites } from '../hashing/drive-writes.ts'
import { DriveCalls } from './drive-calls.ts'
import type { OwnCopies } from './own-copies.ts'
import type { WrittenFiles } from './written-files.ts'

/**
 * Hard case: A recorder writes while Sluice reads.
 * If a file in a watched folder changed in the last few seconds, or if a program writes in bulk to the folder's volume,
 * Sluice reads the drive for at most a twentieth of the time. Hash threads run at low priority.
 */

/**
 * Finding open files inspects every process, so Sluice does it rarely. The write counters of the drives reveal a fast
 * recorder sooner.
 */
const CHECK_INTERVAL_MS = 2000

/**
 * Creates a function that returns whether another process writes inside one of the folders, or in bulk to the volume of
 * a folder. It waits for nothing, so timers can call it: it returns the last result, and starts the next check if one
 * is due.
 */
export const createRecorderActivity = (
  listWrittenFiles: WrittenFiles,
  folders: () => readonly string[],
  clock: Pick<Clock, 'monotonicMs'>,
  paths: Pick<Paths, 'finder'> = pathsOf(process.platform),
  calls = new DriveCalls(),
  hasBulkWrites: DriveWrites = createDriveWrites(),
  ownCopies: OwnCopies['stateOf'] = () => 0,
): (() => boolean) => {
  let isRecording = false
  let drives: readonly string[] = []
  let checkedAtMs = Number.NEGATIVE_INFINITY
  let isChecking = false
  const check = async (): Promise<void> => {
    isChecking = true
    checkedAtMs = clock.monotonicMs()
    // The system reports real paths, while a configured folder may contain links.
    const realFolders = await Promise.all(
      folders().map((folder) => calls.run(folder, () => realpath(folder)).catch(() => folder)),
    )
    const volumeAt = (folder: string) => calls.run(folder, () => volumeOf(folder)).catch(() => null)
    const volumes = new Set(await Promise.all(realFolders.map(volumeAt)))
    drives = [...volumes].filter((volume) => volume !== null)
    const rootOf = paths.finder([...folders(), ...realFolders])
    isRecording = (await listWrittenFiles()).some(
      ({ path, bulkVolume }) => rootOf(path) !== null || (bulkVolume !== null && volumes.has(bulkVolume)),
    )
    isChecking = false
  }
  return () => {
    if (!isChecking && clock.monotonicMs() - checkedAtMs >= CHECK_INTERVAL_MS) void check()
    // Call this for every drive, even if one is busy: each call also stores the drive's counter for the next call.
    const busyDrives = drives.filter((drive) => hasBulkWrites(drive, ownCopies(drive)))
    return isRecording || busyDrives.length > 0
  }
}

const volumeOf = async (folder: string): Promise<string | null> => {
  const stats = await stat(folder, { bigint: true }).catch(() => null)
  return stats === null ? null : String(stats.dev)
}
