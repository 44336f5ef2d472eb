import type { RecordingFormat } from '../../../shared/status/inspection.ts'

/**
 * Formats whose recorder writes the end mark last, with their usual extensions. WAV and CSV are not listed. A recorder
 * may update the size in a WAV header many times, and any row of a CSV file may be the last.
 */
const extensionsOf: Readonly<Partial<Record<RecordingFormat, readonly string[]>>> = {
  mcap: ['.mcap'],
  rosbag1: ['.bag'],
  rosbag2: ['.db3'],
  mp4: ['.mp4', '.m4v'],
  mov: ['.mov'],
  mkv: ['.mkv', '.webm'],
  hdf5: ['.h5', '.hdf5'],
  parquet: ['.parquet'],
}

const extensions = Object.values(extensionsOf).flat()

export const hasEndMark = (format: RecordingFormat): boolean => extensionsOf[format] !== undefined

/** Whether the name suggests a format with an end mark. Sluice checks such a file before the settle time is over. */
export const mayHaveEndMark = (name: string): boolean => {
  const lower = name.toLowerCase()
  return extensions.some((extension) => lower.endsWith(extension))
}
