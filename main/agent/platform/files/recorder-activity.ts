import { realpath, stat } from 'node:fs/promises'
import { type Paths, pathsOf } from '../../../../shared/paths/paths.ts'
import type { Clock } from '../../ports.ts'
import { DriveCalls } from './drive-calls.ts'
import type { WrittenFiles } from './written-files.ts'

/** A recording lasts minutes; looking more often would only cost what it is meant to save. */
const lookEveryMs = 2000

/**
 * Whether another process is writing inside one of the folders, or in bulk to the volume of one, as far as known by
 * now: each call answers from the last look and starts the next one when it is due, so that it can be asked from a
 * timer.
 */
export const createRecorderActivity = (
  written: WrittenFiles,
  folders: () => readonly string[],
  clock: Pick<Clock, 'monotonicMs'>,
  paths: Pick<Paths, 'finder'> = pathsOf(process.platform),
  calls = new DriveCalls(),
): (() => boolean) => {
  let isRecording = false
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
    const rootOf = paths.finder([...folders(), ...real])
    isRecording = (await written()).some(
      ({ path, bulkOn }) => rootOf(path) !== null || (bulkOn !== null && volumes.has(bulkOn)),
    )
    looking = false
  }
  return () => {
    if (!looking && clock.monotonicMs() - lookedAtMs >= lookEveryMs) void look()
    return isRecording
  }
}

const volumeOf = async (folder: string): Promise<string | null> => {
  const stats = await stat(folder, { bigint: true }).catch(() => null)
  return stats === null ? null : String(stats.dev)
}
