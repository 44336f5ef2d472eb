import type { Problem } from '../../../shared/status/problem.ts'
import type { RecordingRow } from '../../../shared/status/status.ts'

/** The hold of a recording, or null. A failed or vanished recording may have a problem, but is not on hold. */
export const holdOf = ({ state, problem }: Pick<RecordingRow, 'state' | 'problem'>): Problem | null =>
  state === 'failed' || state === 'gone' ? null : problem
