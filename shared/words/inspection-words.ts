import type { ChannelSignal, Completeness, RecordingFormat } from '../status/inspection.ts'
import { formatDuration, plural } from './format.ts'

export const formatWords: Readonly<Record<RecordingFormat, string>> = {
  mcap: 'MCAP',
  rosbag1: 'ROS 1 bag',
  rosbag2: 'ROS 2 bag',
  mp4: 'MP4',
  mov: 'MOV',
  mkv: 'MKV',
  wav: 'WAV',
  flac: 'FLAC',
  hdf5: 'HDF5',
  parquet: 'Parquet',
  csv: 'CSV',
  jpeg: 'JPEG',
  png: 'PNG',
  other: 'Unknown format',
}

export const completenessWords: Readonly<Record<Completeness, string>> = {
  complete: 'complete',
  'cut-off': 'cut off: the recorder probably crashed',
  unknown: 'end not confirmed',
}

/** The end of a sentence about a channel. Null if nothing is wrong with it. */
export const signalWords: Readonly<Record<ChannelSignal, string | null>> = {
  varies: null,
  black: 'is black',
  constant: 'has a constant picture',
  silent: 'is silent',
}

type Inspected = {
  readonly format: RecordingFormat
  readonly completeness: Completeness
  readonly duration_s: number | null
  readonly channels: readonly unknown[]
  readonly warnings: readonly { readonly detail: string }[]
}

/** "MCAP, complete, 10 s, 2 channels.", followed by the warnings. */
export const inspectionLine = ({
  format,
  completeness,
  duration_s,
  channels,
  warnings,
}: Inspected): string => {
  const facts = [
    formatWords[format],
    completenessWords[completeness],
    ...(duration_s === null ? [] : [formatDuration(duration_s)]),
    plural(channels.length, 'channel'),
  ]
  return [`${facts.join(', ')}.`, ...warnings.map(({ detail }) => detail)].join(' ')
}
