import type { ActOutcome } from '../../../shared/ipc/ipc.ts'
import type { RecordingAct } from '../../../shared/status/recording-actions.ts'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import type { IconName } from '../../components/Icon.tsx'
import { holdOf } from './recording-held.ts'

type Words = {
  readonly word: string
  readonly icon: IconName
  readonly done: (many: string) => string
  readonly none: string
}

export const actWords: Readonly<Record<RecordingAct, Words>> = {
  retry: {
    word: 'Try again',
    icon: 'cycle',
    done: (many) => `Trying ${many} again.`,
    none: 'Nothing to try again.',
  },
  first: {
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
export const actWord = (act: RecordingAct, row: Pick<RecordingRow, 'state' | 'problem'>): string =>
  act === 'retry' && holdOf(row) !== null ? 'Try now' : actWords[act].word

/** "38 recordings paused. 4 others not changed." */
export const outcomeSentence = (act: RecordingAct, { acted, skipped }: ActOutcome): string => {
  if (acted === 0) return actWords[act].none
  const done = actWords[act].done(plural(acted, 'recording'))
  return skipped === 0 ? done : `${done} ${plural(skipped, 'other')} not changed.`
}
