import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import type { OpenWriters } from './open-writers.ts'

/**
 * Whether another process is writing inside one of the folders, as far as known by now: each call answers from
 * the last look and starts the next one, so that it can be asked from a timer.
 */
export const createRecorderActivity = (
  writers: Pick<OpenWriters, 'paths'>,
  folders: () => readonly string[],
): (() => boolean) => {
  let isRecording = false
  let looking = false
  const look = async (): Promise<void> => {
    looking = true
    try {
      // The system names writers' files by their real path; a folder may be set by way of a link.
      const roots = await Promise.all(folders().map((folder) => realpath(folder).catch(() => folder)))
      const paths = [...(await writers.paths())]
      isRecording = paths.some((path) => roots.some((root) => path.startsWith(root + sep)))
    } finally {
      looking = false
    }
  }
  return () => {
    if (!looking) void look()
    return isRecording
  }
}
