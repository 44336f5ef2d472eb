import type { RecordingFormat } from '../../../shared/status/inspection.ts'

/**
 * Formats whose recorder writes the end mark last. WAV and CSV are missing: a recorder may update the size in a WAV
 * header many times, and any row of a CSV file may be the last.
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

/**
 * Sluice inspects these files as soon as the recorder has closed them, to report a bad recording at once. The upload
 * still waits for the settle time, because their end proves nothing.
 */
const earlyExtensionsOf: Readonly<Partial<Record<RecordingFormat, readonly string[]>>> = {
  wav: ['.wav'],
  flac: ['.flac'],
  jpeg: ['.jpg', '.jpeg'],
  png: ['.png'],
  csv: ['.csv'],
}

const extensions = [...Object.values(extensionsOf), ...Object.values(earlyExtensionsOf)].flat()

export const hasEndMark = (format: RecordingFormat): boolean => extensionsOf[format] !== undefined

export const isInspectedEarly = (format: RecordingFormat): boolean => earlyExtensionsOf[format] !== undefined

/** Whether Sluice checks a file with this name before the settle time is over. */
export const isCheckedEarly = (name: string): boolean => {
  const lower = name.toLowerCase()
  return extensions.some((extension) => lower.endsWith(extension))
}
