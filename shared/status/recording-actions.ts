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
      // A retry cannot help while the folder is not in the settings.
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
 * Whether a retry of another file of the same take may retry this file too. False for a held or dismissed file: a user
 * has to decide about it.
 */
export const mayRetryWithTake = ({ problem }: Pick<RecordingRow, 'problem'>): boolean =>
  problem !== null && !isOnPurpose(problem) && problem.code !== 'take-held'

type TakeFile = Pick<RecordingRow, 'standing' | 'problem'>

/**
 * Whether a retry of a whole take retries this file. `shown`: the standing and problem that the user sees for the take.
 * Held files are retried only if the take is shown as held, and dismissed files only if it is shown as dismissed.
 */
export const isRetriedWithTake = (shown: TakeFile, { standing, problem }: TakeFile): boolean => {
  if (standing === 'dismissed') return shown.standing === 'dismissed'
  return problem !== null && (problem.code !== 'take-held' || shown.problem?.code === 'take-held')
}
