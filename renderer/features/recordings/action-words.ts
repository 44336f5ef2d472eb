import type { ActionOutcome } from '../../../shared/ipc/ipc.ts'
import type { RecordingAction } from '../../../shared/status/recording-actions.ts'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import type { IconName } from '../../components/Icon.tsx'
import { holdOf } from './recording-hold.ts'

type Words = {
  readonly word: string
  readonly icon: IconName
  /** `many` is "38 recordings". */
  readonly done: (many: string) => string
  /** Shown if no recording changed. */
  readonly none: string
}

export const actionWords: Readonly<Record<RecordingAction, Words>> = {
  retry: {
    word: 'Try again',
    icon: 'cycle',
    done: (many) => `Trying ${many} again.`,
    none: 'Nothing to try again.',
  },
  prioritise: {
    word: 'Upload first',
    icon: 'first',
    done: (many) => `${many} moved to the front.`,
    none: 'Nothing to move: already at the front or uploaded.',
  },
  pause: {
    word: 'Pause',
    icon: 'pause',
    done: (many) => `${many} paused.`,
    none: 'Nothing to pause: already paused or uploaded.',
  },
  resume: {
    word: 'Resume',
    icon: 'play',
    done: (many) => `${many} resumed.`,
    none: 'Nothing to resume.',
  },
  dismiss: {
    word: 'Dismiss',
    icon: 'check',
    done: (many) => `${many} dismissed.`,
    none: 'Nothing to dismiss.',
  },
}

/** "Try now" if the recording waits, "Try again" if it failed. */
export const actionWord = (action: RecordingAction, row: Pick<RecordingRow, 'state' | 'problem'>): string =>
  action === 'retry' && holdOf(row) !== null ? 'Try now' : actionWords[action].word

/** "38 recordings paused. 4 others not changed." */
export const outcomeSentence = (action: RecordingAction, { acted, skipped }: ActionOutcome): string => {
  if (acted === 0) return actionWords[action].none
  const sentence = actionWords[action].done(plural(acted, 'recording'))
  return skipped === 0 ? sentence : `${sentence} ${plural(skipped, 'other')} not changed.`
}
