import type { Problem } from '../../../shared/status/problem.ts'
import type { RecordingRow } from '../../../shared/status/status.ts'

/**
 * The problem that holds the recording, or null. A failed or vanished recording is not on hold, even if it has a
 * problem.
 */
export const holdOf = ({ state, problem }: Pick<RecordingRow, 'state' | 'problem'>): Problem | null =>
  state === 'failed' || state === 'gone' ? null : problem
