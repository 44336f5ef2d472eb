import type { UploadProgress } from '../../../shared/status/status.ts'
import { standingOf, type Viewpoint } from '../domain/standing.ts'
import type { Journal } from '../journal/journal.ts'
import type { Progress } from './progress.ts'

/**
 * The recordings whose bytes are being sent. The opener creates sessions ahead, so more recordings are in the state
 * `uploading` than are sent: the others still wait for a slot.
 */
export const uploadsNow = (
  journal: Journal,
  progress: Progress,
  view: Viewpoint,
): readonly UploadProgress[] =>
  progress.uploadingIds.flatMap((id): UploadProgress[] => {
    const live = progress.of(id)
    const recording = journal.recordings.byId(id)
    if (live === null || recording === null) return []
    if (standingOf({ ...recording, endsBy: recording.problem?.endsBy ?? null }, view) !== 'uploading')
      return []
    const bytes = recording.identity.sizeBytes
    const bytesSent = Math.min(recording.bytesSent + live.inFlight, bytes)
    const bytesLeft = bytes - bytesSent
    const { bytesPerSecond } = live
    return [
      {
        id,
        name: recording.name,
        percent: bytes === 0 ? 100 : Math.floor((bytesSent / bytes) * 100),
        bytesLeft,
        bytesPerSecond,
        secondsLeft: bytesPerSecond === null ? null : Math.round(bytesLeft / bytesPerSecond),
      },
    ]
  })
