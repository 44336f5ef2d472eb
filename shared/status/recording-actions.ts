import { isOnPurpose, problemNeedsAttention } from './problem.ts'
import type { RecordingAction, RecordingRow, RecordingState } from './status.ts'

type ActionFacts = Pick<RecordingRow, 'state' | 'problem' | 'paused' | 'prioritised'>

const isEnded = (state: RecordingState): boolean => state === 'failed' || state === 'gone'

/** Only recordings that still have to be uploaded can be prioritised, paused or uploaded outside the upload hours. */
export const isUnsent = (state: RecordingState): boolean => {
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

/** Shared by window and agent, so that the window offers only actions that the agent accepts. */
export const actionApplies = (
  action: RecordingAction,
  { state, problem, paused, prioritised }: ActionFacts,
): boolean => {
  switch (action) {
    case 'retry':
      // If the recording's folder was removed from the settings, only the return of the folder ends the wait.
      return problem === null ? isEnded(state) : problem.endsBy !== 'folder'
    case 'prioritise':
      return isUnsent(state) && !prioritised
    case 'pause':
      return isUnsent(state) && !paused
    case 'resume':
      return paused
    case 'dismiss':
      return problem !== null && !isOnPurpose(problem) && (isEnded(state) || problemNeedsAttention(problem))
  }
}

/**
 * Whether a retry of another file of the same take may retry this file too. False for a held file, because a user has
 * to decide about the hold. False for a dismissed file, whose `problem` is null or on purpose.
 */
export const mayRetryWithTake = ({ problem }: Pick<RecordingRow, 'problem'>): boolean =>
  problem !== null && !isOnPurpose(problem) && problem.code !== 'take-held'

type TakeFile = Pick<RecordingRow, 'standing' | 'problem'>

/**
 * Whether a retry of a whole take retries this file. `shown` is what the take shows: the standing and the problem of
 * its deciding file. The retry includes held files only if the user sees that the take is held, and dismissed files
 * only if the user sees that the take is dismissed.
 */
export const isRetriedWithTake = (shown: TakeFile, { standing, problem }: TakeFile): boolean => {
  if (standing === 'dismissed') return shown.standing === 'dismissed'
  return problem !== null && (problem.code !== 'take-held' || shown.problem?.code === 'take-held')
}
