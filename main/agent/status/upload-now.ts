import type { UploadNowStatus } from '../../../shared/status/status.ts'
import type { Allowance } from '../domain/upload-windows.ts'
import type { Journal } from '../journal/journal.ts'

/**
 * The recordings that the user uploads outside the upload hours. Null during the upload hours, when this has no effect.
 */
export const uploadNowOf = (journal: Journal, allowance: Allowance | null): UploadNowStatus | null => {
  const now = allowance?.kind === 'closed' ? journal.station.uploadNow() : null
  if (now === null) return null
  const recordings = journal.work.countUnsent(now.recordingIds)
  if (!now.station && recordings === 0) return null
  const until = now.untilMs === null ? null : new Date(now.untilMs).toISOString()
  return { until, station: now.station, recordings }
}

/** Until this time, the whole station ignores the upload hours at a user's request; 0 without such a request. */
export const hoursIgnoredUntilMs = (now: UploadNowStatus | null): number => {
  if (now?.station !== true) return 0
  return now.until === null ? Number.MAX_SAFE_INTEGER : Date.parse(now.until)
}
