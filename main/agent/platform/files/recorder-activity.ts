import { realpath } from 'node:fs/promises'
import { type Paths, pathsOf } from '../../../../shared/paths/paths.ts'
import type { Clock } from '../../ports.ts'
import type { OpenWriters } from './open-writers.ts'

/** A recording lasts minutes; looking more often would only cost what it is meant to save. */
const lookEveryMs = 3000

/**
 * Whether another process is writing inside one of the folders, as far as known by now: each call answers from
 * the last look and starts the next one when it is due, so that it can be asked from a timer.
 */
export const createRecorderActivity = (
  writers: { readonly paths: NonNullable<OpenWriters['paths']> },
  folders: () => readonly string[],
  clock: Pick<Clock, 'monotonicMs'>,
  paths: Pick<Paths, 'finder'> = pathsOf(process.platform),
): (() => boolean) => {
  let isRecording = false
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let looking = false
  const look = async (): Promise<void> => {
    looking = true
    lookedAtMs = clock.monotonicMs()
    // The system names writers' files by their real path, a scan by the folder's: it may be set by way of a link.
    const real = await Promise.all(folders().map((folder) => realpath(folder).catch(() => folder)))
    const rootOf = paths.finder([...folders(), ...real])
    isRecording = [...(await writers.paths())].some((path) => rootOf(path) !== null)
    looking = false
  }
  return () => {
    if (!looking && clock.monotonicMs() - lookedAtMs >= lookEveryMs) void look()
    return isRecording
  }
}
