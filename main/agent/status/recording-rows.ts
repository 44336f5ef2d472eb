import { pathsOf } from '../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { PartState, RecordingDetail, RecordingRow } from '../../../shared/status/status.ts'
import { inspectionDifferences } from '../domain/inspection-differences.ts'
import { type StandingContext, standingOfRecording } from '../domain/standing.ts'
import { takeName } from '../domain/takes.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import type { Progress } from './progress.ts'

const paths = pathsOf(process.platform)
const iso = (ms: number): string => new Date(ms).toISOString()

/**
 * Finds the settings of a folder by its path in the journal. The window shows the path as it is spelled in the
 * settings.
 */
type FolderOf = (path: string) => FolderSettings | undefined

/**
 * The row of a recording in the window's list. Sizes and states come from the journal, speed and bytes in flight from
 * `Progress`.
 */
export const rowOf = (
  recording: Recording,
  progress: Progress | null,
  view: StandingContext,
  folderOf: FolderOf,
): RecordingRow => {
  const live = progress?.of(recording.id) ?? null
  const bytes = recording.identity.sizeBytes
  const bytesSent = Math.min(recording.bytesSent + (live?.inFlight ?? 0), bytes)
  const bytesPerSecond = recording.state === 'uploading' ? (live?.bytesPerSecond ?? null) : null
  const settlesAtMs = recording.state === 'growing' ? progress?.settlesAtMs(recording.id) : null
  const waitsFor = recording.state === 'growing' ? progress?.waitsFor(recording.id) : null
  const isDismissed = recording.problem?.endsBy === 'dismissed'
  return {
    id: recording.id,
    path: recording.path,
    name: recording.name,
    folder: folderOf(recording.folder)?.path ?? recording.folder,
    take: recording.take === null ? null : takeName(recording.take, paths),
    wholeTake: null,
    site: recording.site,
    state: recording.state,
    standing: standingOfRecording(recording, view),
    bytes,
    bytesHashed: recording.sha256 === null ? (live?.hashed ?? 0) : bytes,
    bytesSent,
    bytesPerSecond,
    partsTotal: recording.partsTotal,
    partsSent: recording.partsSent,
    sessionId: recording.sessionId,
    problem: isDismissed ? null : recording.problem,
    heldSince: isDismissed || recording.heldSinceMs === null ? null : iso(recording.heldSinceMs),
    settlesAt: settlesAtMs === null || settlesAtMs === undefined ? null : iso(settlesAtMs),
    waitsFor: waitsFor ?? null,
    prioritised: recording.prioritised,
    paused: recording.paused,
    uploadNow: view.uploadNowIds?.includes(recording.id) ?? false,
    foundAt: iso(recording.foundAtMs),
    changedAt: iso(recording.changedAtMs),
    removedAt: recording.removedAtMs === null ? null : iso(recording.removedAtMs),
    movedTo: recording.movedTo,
  }
}

export const detailOf = (
  recording: Recording,
  journal: Journal,
  progress: Progress | null,
  view: StandingContext,
  folderOf: FolderOf,
): RecordingDetail => {
  const partsInFlight = progress?.of(recording.id)?.parts ?? new Set<number>()
  const partState = (number: number, etag: string | null): PartState => {
    if (etag !== null) return 'sent'
    return partsInFlight.has(number) ? 'sending' : 'missing'
  }
  const inspection = journal.inspections.of(recording.id)
  return {
    ...rowOf(recording, progress, view, folderOf),
    sha256: recording.sha256,
    modifiedAt: iso(Number(BigInt(recording.identity.mtimeNs) / 1_000_000n)),
    partSizeBytes: recording.partSizeBytes,
    parts: journal.parts.of(recording.id).map((part) => partState(part.number, part.etag)),
    timeline: journal.views.timeline(recording.id),
    duplicateOf:
      recording.duplicateOf === null ? null : (journal.recordings.byId(recording.duplicateOf)?.path ?? null),
    session: recording.session,
    inspection,
    differences: inspectionDifferences(inspection, recording.session),
    deviations: journal.inspections.deviationsOf(recording.id),
  }
}
