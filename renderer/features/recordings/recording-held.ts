import type { Problem, RecordingRow } from '../../../shared/status/status.ts'

/** The problem that a recording waits for, or null. A finished recording may have a problem too, but waits for nothing. */
export const holdOf = ({ state, problem }: Pick<RecordingRow, 'state' | 'problem'>): Problem | null =>
  state === 'failed' || state === 'gone' ? null : problem
