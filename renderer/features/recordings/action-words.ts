import type { ActionOutcome } from '../../../shared/ipc/ipc.ts'
import type { RecordingAction, RecordingRow } from '../../../shared/status/status.ts'
import { formatCount, plural } from '../../../shared/words/format.ts'
import type { IconName } from '../../components/Icon.tsx'
import { holdOf } from './recording-hold.ts'

type Words = {
  readonly word: string
  readonly icon: IconName
  /** `many` is a number with a noun, such as "38 recordings". */
  readonly doneSentence: (many: string) => string
  /** Shown if no recording changed. */
  readonly noneSentence: string
}

export const actionWords: Readonly<Record<RecordingAction, Words>> = {
  retry: {
    word: 'Try again',
    icon: 'cycle',
    doneSentence: (many) => `Trying ${many} again.`,
    noneSentence: 'Nothing to try again.',
  },
  prioritise: {
    word: 'Upload first',
    icon: 'first',
    doneSentence: (many) => `${many} moved to the front.`,
    noneSentence: 'Nothing to move: already at the front or uploaded.',
  },
  pause: {
    word: 'Pause',
    icon: 'pause',
    doneSentence: (many) => `${many} paused.`,
    noneSentence: 'Nothing to pause: already paused or uploaded.',
  },
  resume: {
    word: 'Resume',
    icon: 'play',
    doneSentence: (many) => `${many} resumed.`,
    noneSentence: 'Nothing to resume.',
  },
  dismiss: {
    word: 'Dismiss',
    icon: 'check',
    doneSentence: (many) => `${many} dismissed.`,
    noneSentence: 'Nothing to dismiss.',
  },
}

/**
 * The word on the button. "Try again" becomes "Upload anyway" for a take that waits for a decision, and "Try now" for a
 * recording on hold.
 */
export const actionWord = (action: RecordingAction, row: Pick<RecordingRow, 'state' | 'problem'>): string => {
  if (action === 'retry' && row.problem?.code === 'take-held') return 'Upload anyway'
  return action === 'retry' && holdOf(row) !== null ? 'Try now' : actionWords[action].word
}

/** "38 recordings paused. The other 4 stay unchanged." */
export const outcomeSentence = (action: RecordingAction, { acted, skipped }: ActionOutcome): string => {
  if (acted === 0) return actionWords[action].noneSentence
  const sentence = actionWords[action].doneSentence(plural(acted, 'recording'))
  if (skipped === 0) return sentence
  return `${sentence} The other ${skipped === 1 ? 'one stays' : `${formatCount(skipped)} stay`} unchanged.`
}
