/** The content of a finished recording. Pure data for the journal, the window, the terminal and the receipt. */

export const recordingFormats = [
  'mcap',
  'rosbag1',
  'rosbag2',
  'mp4',
  'mov',
  'mkv',
  'wav',
  'flac',
  'hdf5',
  'parquet',
  'csv',
  'jpeg',
  'png',
  'other',
] as const
export type RecordingFormat = (typeof recordingFormats)[number]

/** `unknown`: the format does not mark the end of a file, or Sluice could not read that far. */
export const completenesses = ['complete', 'cut-off', 'unknown'] as const
export type Completeness = (typeof completenesses)[number]

export const inspectionWarningCodes = [
  'damaged',
  'no-messages',
  'compression-unknown',
  'chunk-too-large',
  'no-time-column',
  'time-unreadable',
  'too-many-channels',
  'not-readable',
  'not-finished',
  'metadata-differs',
  'images-missing',
  'images-differ',
  'took-too-long',
] as const
export type InspectionWarningCode = (typeof inspectionWarningCodes)[number]

export type InspectionWarning = {
  readonly code: InspectionWarningCode
  readonly detail: string
  readonly channel?: string
}

/** `constant`: a picture of one colour, or a picture that never changes. `silent`: sound that hardly changes. */
export const channelSignals = ['varies', 'black', 'constant', 'silent'] as const
export type ChannelSignal = (typeof channelSignals)[number]

export type InspectedChannel = {
  readonly name: string
  /** The schema, codec or data type, in the words of the format. */
  readonly type: string | null
  readonly messages: number | null
  readonly rateHz: number | null
  /** The longest time without a message, including the time before the first message and after the last one. */
  readonly largestGapS: number | null
  /** Messages per bucket of equal length, from the start of the recording. Absent if their times are unknown. */
  readonly timeline?: readonly number[]
  /** What samples of the pictures or of the sound show. Absent if Sluice cannot check the content of the channel. */
  readonly signal?: ChannelSignal
}

export type Inspection = {
  readonly format: RecordingFormat
  readonly completeness: Completeness
  /** UTC milliseconds; null if the format does not store them. */
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  readonly durationS: number | null
  readonly channels: readonly InspectedChannel[]
  readonly warnings: readonly InspectionWarning[]
}
