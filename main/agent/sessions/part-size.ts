import type { Journal, Recording } from '../journal/journal.ts'

/**
 * Sends the recording back to the hasher. The service decides the part size (§2.3), and a different size needs
 * different hashes.
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
