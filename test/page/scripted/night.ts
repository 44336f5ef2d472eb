import type { RecordingState } from '../../../shared/status/status.ts'

/**
 * The recordings of the busy night, one every eleven minutes, newest first. Journal, log and service all show them.
 */

const MINUTE_MS = 60_000
const INTERVAL_MINUTES = 11
const HASH_BYTES_PER_S = 500_000_000

export const PART_BYTES = 67_108_864
export const RECORDING_DURATION_MS = 10 * MINUTE_MS
/** The speed of the connection, below every limit of the upload hours. */
export const SEND_BYTES_PER_S = 27_000_000

/** The states of the newest recordings. All older recordings are processed. */
export const busyStates: readonly RecordingState[] = [
  'growing',
  'hashing',
  'uploading',
  'uploading',
  'uploading',
  'uploading',
  'queued',
  'completing',
  'processing',
  'processing',
  'ready',
  'processed',
  'processed',
  'failed',
  'processed',
  'processed',
  'gone',
]

export const foundAt = (index: number, nowMs: number, newestMinutes = 3): number =>
  nowMs - (index * INTERVAL_MINUTES + newestMinutes) * MINUTE_MS

/** Every fifth recording is in the second folder. */
export const folderOf = (index: number): 0 | 1 => (index % 5 === 3 ? 1 : 0)

export const bytesOf = (index: number): number => (((index * 7919) % 9_000) + 600) * 1_000_000

export const sessionIdOf = (id: number): string => `ses_${9_000_001 - id}`

export const completionRequestId = (index: number): string =>
  `req_01JX7V2B${(100_000 + index * 7_919).toString(36).toUpperCase()}`

const twoDigits = (value: number) => String(value).padStart(2, '0')

export const nameOf = (index: number, site: string, foundAtMs: number): string => {
  const at = new Date(foundAtMs)
  const day = `${at.getFullYear()}${twoDigits(at.getMonth() + 1)}${twoDigits(at.getDate())}`
  const run = index % 7 === 2 ? '_calibration-run-with-both-arms' : ''
  return `${site === 'Hall 3' ? 'hall3' : 'track'}_${day}_${twoDigits(at.getHours())}${twoDigits(at.getMinutes())}${run}.mcap`
}

/** The transitions of a recording: state, event, next state. */
export const transitions = [
  ['growing', 'settled', 'queued'],
  ['queued', 'hash-started', 'hashing'],
  ['hashing', 'hashed', 'ready'],
  ['ready', 'session-opened', 'uploading'],
  ['uploading', 'parts-sent', 'completing'],
  ['completing', 'completed', 'processing'],
  ['processing', 'processed', 'processed'],
] as const satisfies readonly (readonly [RecordingState, string, RecordingState])[]

/** How long each stage takes for a file of this size. */
export const stageDurationMs = (kind: (typeof transitions)[number][1], bytes: number): number => {
  switch (kind) {
    case 'settled':
      return RECORDING_DURATION_MS + 12_000
    case 'hashed':
      return (bytes / HASH_BYTES_PER_S) * 1000
    case 'parts-sent':
      return (bytes / SEND_BYTES_PER_S) * 1000
    case 'processed':
      return 95_000
    default:
      return 2_000
  }
}

/** The reason that each stage writes into the timeline. */
export const reasonOf = (kind: string, bytes: number): string => {
  switch (kind) {
    case 'settled':
      return 'unchanged for 10 s'
    case 'hash-started':
      return 'reading the file'
    case 'hashed':
      return `hashed, ${Math.ceil(bytes / PART_BYTES)} parts`
    case 'session-opened':
      return 'session created'
    case 'parts-sent':
      return 'every part is at the service'
    case 'completed':
      return 'the service verified the whole file'
    case 'vanished':
      return 'the file is no longer in the folder'
    default:
      return kind
  }
}
