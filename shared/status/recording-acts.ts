import { needsSomebody, type RecordingRow, type RecordingState } from './status.ts'

/** What a person can have done to recordings. */
export const recordingActs = ['retry', 'first', 'pause', 'resume', 'dismiss'] as const
export type RecordingAct = (typeof recordingActs)[number]

type Given = Pick<RecordingRow, 'state' | 'problem' | 'paused' | 'urgent'>

const isEnded = (state: RecordingState): boolean => state === 'failed' || state === 'gone'

/** Not all of it has been sent: the only ones that can be sent sooner or later than others. */
const isUnsent = (state: RecordingState): boolean => {
  switch (state) {
    case 'growing':
    case 'queued':
    case 'hashing':
    case 'ready':
    case 'uploading':
      return true
    case 'completing':
    case 'processing':
    case 'processed':
    case 'failed':
    case 'gone':
      return false
  }
}

/** The window offers what the agent will do, and nothing else. */
export const actApplies = (act: RecordingAct, { state, problem, paused, urgent }: Given): boolean => {
  switch (act) {
    case 'retry':
      return problem !== null || isEnded(state)
    case 'first':
      return isUnsent(state) && !urgent
    case 'pause':
      return isUnsent(state) && !paused
    case 'resume':
      return paused
    case 'dismiss':
      return problem !== null && (isEnded(state) || needsSomebody(problem))
  }
}
