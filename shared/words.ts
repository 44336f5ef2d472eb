import { plural } from './format.ts'
import type { FolderStatus, Problem, ProblemOwner, RecordingState, StationState } from './status.ts'

/** The words for each state, the same in the window, the tray and the terminal. */
export const recordingWords: Readonly<Record<RecordingState, string>> = {
  growing: 'Recording',
  queued: 'Waiting',
  hashing: 'Checking',
  ready: 'Ready',
  uploading: 'Uploading',
  completing: 'Finishing',
  processing: 'Processing',
  processed: 'Processed',
  failed: 'Failed',
  gone: 'File gone',
}

export const stationWords: Readonly<Record<StationState, string>> = {
  starting: 'Starting',
  idle: 'Up to date',
  working: 'Uploading',
  paused: 'Paused',
  attention: 'Needs you',
  offline: 'Offline',
}

export const folderWords: Readonly<Record<FolderStatus['state'], string>> = {
  watching: 'Watching',
  scanning: 'Looking through',
  offline: 'Not there',
  replaced: 'Another drive',
  unusable: 'Not usable',
}

export const ownerWords: Readonly<Record<ProblemOwner, string>> = {
  technician: 'For you',
  admin: 'For your administrator',
  service: 'For the service',
}

export const allSafe = (recordings: number): string =>
  recordings === 1 ? 'The one recording is safe.' : `All ${plural(recordings, 'recording')} are safe.`

/** A problem on one line, with the request id to quote. */
export const sayProblem = ({ sentence, next, requestId }: Problem): string =>
  `${sentence} ${next}${requestId === null ? '' : ` Request id: ${requestId}.`}`
