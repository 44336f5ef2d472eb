import { hostname } from 'node:os'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { redact } from '../../../shared/redaction/redact.ts'
import type { ExportedRecording } from '../../../shared/status/exported-recording.ts'
import { shownLabels } from '../domain/naming.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import { recordingJson, stationOf } from '../status/status-report.ts'

const exportedRow = (
  recording: Recording,
  { standing, problem }: ReturnType<typeof recordingJson>,
): ExportedRecording => {
  const { site, device } = shownLabels(recording, hostname(), pathsOf(process.platform))
  return {
    path: recording.path,
    site,
    device,
    standing,
    state: recording.state,
    bytes: recording.identity.sizeBytes,
    bytes_sent: recording.bytesSent,
    sha256: recording.sha256,
    session_id: recording.sessionId,
    found_at: new Date(recording.foundAtMs).toISOString(),
    changed_at: new Date(recording.changedAtMs).toISOString(),
    problem: problem === null ? null : redact(problem.sentence),
  }
}

/**
 * The rows of `sluice export recordings`: the recordings found in a period. If the user of the command may not read the
 * journal, the agent builds the rows.
 */
export const exportedRecordings = (
  journal: Journal,
  { sinceMs, untilMs }: { readonly sinceMs: number | null; readonly untilMs: number | null },
): readonly ExportedRecording[] => {
  const { view } = stationOf(journal)
  return journal.views
    .everything()
    .filter(
      ({ foundAtMs }) => foundAtMs >= (sinceMs ?? 0) && foundAtMs < (untilMs ?? Number.POSITIVE_INFINITY),
    )
    .map((recording) => exportedRow(recording, recordingJson(recording, view)))
}
