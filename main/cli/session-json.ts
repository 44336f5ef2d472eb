import { redact } from '../../shared/redaction/redact.ts'
import { formatBytes, formatDuration, formatMoment } from '../../shared/words/format.ts'
import type { RemoteSession } from '../agent/ports/service.ts'

/** A session as in §2.2, without its upload URLs. */
export const sessionJson = (session: RemoteSession) => ({
  id: session.id,
  status: session.status,
  site: session.site,
  device: session.device,
  filename: session.filename,
  bytes: session.bytes,
  sha256: session.sha256,
  recorded_at: session.recordedAt,
  duration_s: session.durationS,
  channels: session.channels,
  segment_count: session.segmentCount,
  issues: session.issues,
  notes: session.notes,
  created_at: session.createdAt,
  processed_at: session.processedAt,
})

const momentOrEmpty = (at: string | null, nowMs: number): string =>
  at === null || Number.isNaN(Date.parse(at)) ? '' : formatMoment(at, nowMs)

const STATUS_WIDTH = 'processing'.length
/** "14 Nov 2026 03:12" */
const TIME_WIDTH = 17
const BYTES_WIDTH = 7

/** One line of the list. The file name comes last because it may be long. */
export const sessionLine = (session: RemoteSession, nowMs: number): string =>
  [
    session.status.padEnd(STATUS_WIDTH),
    momentOrEmpty(session.createdAt, nowMs).padEnd(TIME_WIDTH),
    (session.bytes === null ? '' : formatBytes(session.bytes)).padStart(BYTES_WIDTH),
    session.id,
    session.filename ?? '',
  ].join('  ')

/** The fields of one session, one per line. Leaves out empty fields. */
export const sessionLines = (session: RemoteSession, nowMs: number): readonly string[] => {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Session', session.id],
    ['Status', session.status],
    ['File', session.filename],
    ['Site', session.site],
    ['Device', session.device],
    ['Size', session.bytes === null ? null : formatBytes(session.bytes)],
    ['SHA-256', session.sha256],
    ['Created', momentOrEmpty(session.createdAt, nowMs)],
    ['Recorded', momentOrEmpty(session.recordedAt, nowMs)],
    ['Duration', session.durationS === null ? null : formatDuration(session.durationS)],
    ['Processed', momentOrEmpty(session.processedAt, nowMs)],
    ['Segments', session.segmentCount === null ? null : String(session.segmentCount)],
    ['Channels', session.channels.join(', ')],
    ['Notes', session.notes],
    ...session.issues.map(({ severity, code, channel, detail }): [string, string] => [
      'Issue',
      redact(
        `${severity}: ${code}${channel === undefined ? '' : ` (${channel})`}${detail === undefined ? '' : `. ${detail}`}`,
      ),
    ]),
  ]
  return facts.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [`${name.padEnd(TIME_WIDTH - 6)}${value}`],
  )
}
