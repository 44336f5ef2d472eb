import type { Forecast } from '../../../shared/status/forecast.ts'
import type { UploadProgress } from '../../../shared/status/status.ts'
import { type StandingContext, standingOfRecording } from '../domain/standing.ts'
import { isSmall } from '../domain/upload-lane.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Progress } from './progress.ts'

type LiveUpload = {
  readonly recording: Recording
  readonly bytesSentOrInFlight: number
  readonly bytesPerSecond: number | null
}

/** The uploads that have sent bytes since they started. */
export const liveUploads = (journal: Journal, progress: Progress): readonly LiveUpload[] =>
  progress.uploadingIds.flatMap((id) => {
    const live = progress.of(id)
    const recording = journal.recordings.byId(id)
    if (live === null || recording === null) return []
    const bytesSentOrInFlight = Math.min(recording.bytesSent + live.inFlight, recording.identity.sizeBytes)
    return [{ recording, bytesSentOrInFlight, bytesPerSecond: live.bytesPerSecond }]
  })

type QueueForecast = { readonly forecast: Forecast; readonly nowMs: number }

/**
 * The time that an upload needs at its own speed, but no longer than the whole queue needs. An upload gets faster when
 * another one ends.
 */
const secondsLeftOf = (
  bytesLeft: number,
  bytesPerSecond: number | null,
  { forecast, nowMs }: QueueForecast,
) => {
  if (bytesPerSecond === null) return null
  const seconds = Math.round(bytesLeft / bytesPerSecond)
  if (forecast.kind !== 'known' || forecast.doneAt === null) return seconds
  return Math.min(seconds, Math.floor((Date.parse(forecast.doneAt) - nowMs) / 1000))
}

/**
 * The recordings whose bytes are being sent. Excludes recordings in the state `uploading` that still wait for a slot.
 */
export const uploadsInProgress = (
  journal: Journal,
  progress: Progress,
  context: StandingContext,
  queueForecast: QueueForecast,
): readonly UploadProgress[] =>
  liveUploads(journal, progress)
    .filter(({ recording }) => standingOfRecording(recording, context) === 'uploading')
    .map(({ recording, bytesSentOrInFlight, bytesPerSecond }) => {
      const { sizeBytes } = recording.identity
      const bytesLeft = sizeBytes - bytesSentOrInFlight
      return {
        id: recording.id,
        name: recording.name,
        percent: sizeBytes === 0 ? 100 : Math.floor((bytesSentOrInFlight / sizeBytes) * 100),
        bytesLeft,
        bytesPerSecond,
        secondsLeft: secondsLeftOf(bytesLeft, bytesPerSecond, queueForecast),
        isSmall: isSmall(sizeBytes),
      }
    })

/** More files than any terminal shows. Without a limit, Sluice could save thirty thousand files each second. */
const MAX_SAVED_FILES = 200

/** Saves the name of the file that each waiting file of a take waits for, for terminal commands. */
export const saveWaitingFiles = (journal: Journal, progress: Progress): void =>
  journal.station.saveWaitingFiles(
    progress.waiting.slice(0, MAX_SAVED_FILES).map(([id, name]) => ({ id, name })),
  )

/** Saves speed and progress, so that terminal commands show the same figures as the window. */
export const saveUploads = (journal: Journal, progress: Progress, nowMs: number): void => {
  const uploads = liveUploads(journal, progress)
  const { settlingIds } = progress
  journal.station.saveUploads(
    uploads.length + settlingIds.length === 0
      ? null
      : {
          atMs: nowMs,
          bytesPerSecond: progress.bytesPerSecond,
          uploads: uploads.map(({ recording, bytesSentOrInFlight }) => ({
            id: recording.id,
            bytesSent: bytesSentOrInFlight,
          })),
          finishing: settlingIds.length,
          settling: settlingIds
            .slice(0, MAX_SAVED_FILES)
            .map((id) => ({ id, settlesAtMs: progress.settlesAtMs(id) ?? nowMs })),
        },
  )
}
