import type { SessionIssue } from '../../shared/contract/control-api.ts'
import type { Findings } from '../store/sessions.ts'

/** The result of an inspection. `concludeFindings` derives the findings of the session from it. */
export type Inspection = {
  readonly channels: readonly string[]
  readonly startMs: number | null
  readonly durationS: number | null
  readonly issues: readonly SessionIssue[]
}

/** A processed session has one searchable segment for each started minute of the recording, and at least one. */
const segmentS = 60
/** A time before this comes from a clock that counts from its own start, not from 1970. */
const firstPlausibleMs = Date.UTC(2000, 0, 1)

export function emptyInspection(issue: SessionIssue): Inspection {
  return { channels: [], startMs: null, durationS: null, issues: [issue] }
}

/** §3: processing fails on an issue of severity `error`. */
export function concludeFindings(inspection: Inspection, createdAtMs: number): Findings {
  const hasFailed = inspection.issues.some((issue) => issue.severity === 'error')
  const clockIssue = findClockIssue(inspection, createdAtMs)
  const isPlausible = inspection.startMs !== null && inspection.startMs >= firstPlausibleMs
  return {
    status: hasFailed ? 'failed' : 'processed',
    recordedAt: isPlausible ? inspection.startMs : null,
    durationS: inspection.durationS,
    channels: inspection.channels,
    segmentCount: hasFailed ? 0 : segmentCountOf(inspection.durationS ?? 0),
    issues: clockIssue === null ? inspection.issues : [...inspection.issues, clockIssue],
  }
}

/** A file can claim any duration, but the database stores whole numbers only up to a limit. */
const segmentCountOf = (durationS: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.ceil(durationS / segmentS)))

/** An issue if the recording starts before the year 2000 or ends after its session was created. */
function findClockIssue(inspection: Inspection, createdAtMs: number): SessionIssue | null {
  const { startMs, durationS } = inspection
  if (startMs === null) return null
  const code = 'clock_offset_estimated'
  if (startMs < firstPlausibleMs) {
    const detail = 'The times in the recording do not count from 1970; recorded_at is left out.'
    return { code, severity: 'info', detail }
  }
  const aheadS = (startMs - createdAtMs) / 1000 + (durationS ?? 0)
  if (aheadS <= 1) return null
  const detail = `The recorder's clock is ahead by at least ${aheadS.toFixed(1)} s.`
  return { code, severity: 'warning', detail }
}

/** §2.2: channel names of the service are dotted and lower case. */
export function channelName(text: string): string {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '.')
    .replace(/^\.+|\.+$/g, '')
  return name === '' ? 'unnamed' : name.slice(0, 200)
}

export function channelNames(texts: Iterable<string>): string[] {
  return [...new Set([...texts].map(channelName))].sort()
}
