import type { UploadNowStatus } from '../../../shared/status/status.ts'
import type { Allowance } from '../domain/upload-windows.ts'
import type { Journal } from '../journal/journal.ts'

/**
 * The user's request to upload outside the upload hours. Null without a request, during the upload hours, and once the
 * requested recordings are uploaded.
 */
export const uploadNowOf = (journal: Journal, allowance: Allowance | null): UploadNowStatus | null => {
  const request = allowance?.kind === 'closed' ? journal.station.uploadNow() : null
  if (request === null) return null
  const recordings = journal.work.countUnsent(request.recordingIds)
  if (!request.station && recordings === 0) return null
  const until = request.untilMs === null ? null : new Date(request.untilMs).toISOString()
  return { until, station: request.station, recordings }
}

/** The time until which the whole station ignores the upload hours at a user's request; 0 without a request. */
export const hoursIgnoredUntilMs = (uploadNow: UploadNowStatus | null): number => {
  if (uploadNow?.station !== true) return 0
  return uploadNow.until === null ? Number.MAX_SAFE_INTEGER : Date.parse(uploadNow.until)
}
