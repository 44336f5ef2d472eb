import type { RecordingFormat } from '../../../shared/status/inspection.ts'

/**
 * Formats whose recorder writes the end mark last, by their usual endings. A recorder may write the size in a WAV header
 * again and again, and any row may be the last of a CSV file, so these two are not here.
 */
const endingsOf: Readonly<Partial<Record<RecordingFormat, readonly string[]>>> = {
  mcap: ['.mcap'],
  rosbag1: ['.bag'],
  rosbag2: ['.db3'],
  mp4: ['.mp4', '.m4v'],
  mov: ['.mov'],
  mkv: ['.mkv', '.webm'],
  hdf5: ['.h5', '.hdf5'],
  parquet: ['.parquet'],
}

const endings = Object.values(endingsOf).flat()

export const marksItsEnd = (format: RecordingFormat): boolean => endingsOf[format] !== undefined

/** By its name: worth a look before the settle time is over. */
export const mayMarkItsEnd = (name: string): boolean => {
  const lower = name.toLowerCase()
  return endings.some((ending) => lower.endsWith(ending))
}
