import type { Journal, Recording } from '../journal/journal.ts'

/**
 * The service decides the part size (§2.3). If that size differs from the requested one, the hasher hashes the parts
 * again.
 */
export const rehashForPartSize = (
  journal: Journal,
  recording: Recording,
  partSizeBytes: number,
  requestId: string | null,
): void => {
  journal.recordings.transition(
    recording.id,
    'uploading',
    { kind: 'rehash-needed' },
    { reason: `the service wants parts of ${partSizeBytes} bytes`, requestId, patch: { partSizeBytes } },
  )
}
