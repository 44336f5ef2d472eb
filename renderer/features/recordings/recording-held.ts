import type { Problem, RecordingRow } from '../../../shared/status/status.ts'

/** Why a recording waits, if it does. One that came to its end has a problem too, and waits for nothing. */
export const holdOf = ({ state, problem }: Pick<RecordingRow, 'state' | 'problem'>): Problem | null =>
  state === 'failed' || state === 'gone' ? null : problem
