import type { Problem, RecordingRow, Status } from './status.ts'

/** Why a recording waits, if it does. One that came to its end has a problem too, and waits for nothing. */
export const holdOf = ({ state, problem }: Pick<RecordingRow, 'state' | 'problem'>): Problem | null =>
  state === 'failed' || state === 'gone' ? null : problem

/**
 * Of those that need somebody, how many are still on their way: waiting or being processed. Failed ones that
 * somebody has seen are counted as if they still asked, so this is never too many.
 */
export const heldForSomebody = ({ counts, needPerson }: Pick<Status, 'counts' | 'needPerson'>): number =>
  Math.max(0, needPerson - counts.failed - counts.gone)
