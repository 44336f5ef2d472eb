import { realpath, stat } from 'node:fs/promises'
import { type Paths, pathsOf } from '../../../../shared/paths/paths.ts'
import type { Clock } from '../../ports/clock.ts'
import { createDriveWrites, type DriveWrites } from '../hashing/drive-writes.ts'
import { DriveCalls } from './drive-calls.ts'
import type { OwnCopies } from './own-copies.ts'
import type { WrittenFiles } from './written-files.ts'

/** Who writes is a look at every process; a drive that counts its writes tells of fast ones much sooner. */
const lookEveryMs = 2000

/**
 * Whether another process is writing inside one of the folders, or in bulk to the volume of one, as far as known by
 * now: each call answers from the last look, and from what the drives have counted since, and starts the next look
 * when it is due, so that it can be asked from a timer.
 */
export const createRecorderActivity = (
  written: WrittenFiles,
  folders: () => readonly string[],
  clock: Pick<Clock, 'monotonicMs'>,
  paths: Pick<Paths, 'finder'> = pathsOf(process.platform),
  calls = new DriveCalls(),
  takesWrites: DriveWrites = createDriveWrites(),
  ownCopies: OwnCopies['stateOf'] = () => 0,
): (() => boolean) => {
  let isRecording = false
  let drives: readonly string[] = []
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let looking = false
  const look = async (): Promise<void> => {
    looking = true
    lookedAtMs = clock.monotonicMs()
    // The system names writers' files by their real path, a scan by the folder's: it may be set by way of a link.
    const real = await Promise.all(
      folders().map((folder) => calls.ask(folder, () => realpath(folder)).catch(() => folder)),
    )
    const volumeAt = (folder: string) => calls.ask(folder, () => volumeOf(folder)).catch(() => null)
    const volumes = new Set(await Promise.all(real.map(volumeAt)))
    drives = [...volumes].filter((volume) => volume !== null)
    const rootOf = paths.finder([...folders(), ...real])
    isRecording = (await written()).some(
      ({ path, bulkOn }) => rootOf(path) !== null || (bulkOn !== null && volumes.has(bulkOn)),
    )
    looking = false
  }
  return () => {
    if (!looking && clock.monotonicMs() - lookedAtMs >= lookEveryMs) void look()
    // Each is asked, so that each is seen to change.
    const busy = drives.filter((drive) => takesWrites(drive, ownCopies(drive)))
    return isRecording || busy.length > 0
  }
}

const volumeOf = async (folder: string): Promise<string | null> => {
  const stats = await stat(folder, { bigint: true }).catch(() => null)
  return stats === null ? null : String(stats.dev)
}
