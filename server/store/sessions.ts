import type { SessionIssue, SessionStatus } from '../../shared/contract/control-api.ts'
import { all, change, first, firstLocked, type Steps } from './steps.ts'

export type SessionRow = {
  readonly seq: number
  readonly id: string
  readonly org_id: string
  readonly site: string
  readonly device: string | null
  readonly filename: string
  readonly bytes: number
  readonly sha256: string
  readonly part_size: number
  readonly notes: string | null
  readonly status: SessionStatus
  readonly created_at: number
  /** The time of its completion. */
  readonly uploaded_at: number | null
  readonly processing_due_at: number | null
  /** Inspections that have begun, except those that an outage or the end of the server interrupted. */
  readonly inspection_attempts: number
  readonly processed_at: number | null
  readonly recorded_at: number | null
  readonly duration_s: number | null
  /** JSON array of string */
  readonly channels: string
  readonly segment_count: number
  /** JSON array of issue */
  readonly issues: string
}

export type NewSession = Pick<
  SessionRow,
  'id' | 'org_id' | 'site' | 'device' | 'filename' | 'bytes' | 'sha256' | 'part_size' | 'notes' | 'created_at'
>

export type SessionFilter = {
  readonly orgId: string
  readonly site?: string
  readonly status?: SessionStatus
  readonly createdGte?: number
  readonly createdLt?: number
  readonly beforeSeq?: number
  readonly limit: number
}

export type Findings = {
  readonly status: 'processed' | 'failed'
  readonly recordedAt: number | null
  readonly durationS: number | null
  readonly channels: readonly string[]
  readonly segmentCount: number
  readonly issues: readonly SessionIssue[]
}

export const sessions = {
  /** §2.2: a site is created on first use. */
  *insert(session: NewSession): Steps<void> {
    const { org_id, site, created_at } = session
    yield* change(
      `INSERT INTO sites (org_id, name, created_at) VALUES (@org_id, @site, @created_at) ON CONFLICT DO NOTHING`,
      { org_id, site, created_at },
    )
    yield* change(
      `INSERT INTO sessions (id, org_id, site, device, filename, bytes, sha256, part_size, notes, status, created_at)
       VALUES (@id, @org_id, @site, @device, @filename, @bytes, @sha256, @part_size, @notes, 'uploading', @created_at)`,
      session,
    )
  },
  get: (id: string): Steps<SessionRow | undefined> => first('SELECT * FROM sessions WHERE id = @id', { id }),
  /** Locks the session: no other transaction can change it until this one ends. */
  lock: (id: string): Steps<SessionRow | undefined> =>
    firstLocked('SELECT * FROM sessions WHERE id = @id', { id }),
  /** False if the session is no longer uploading. */
  *startProcessing(id: string, uploadedAt: number, dueAt = uploadedAt): Steps<boolean> {
    const sql = `UPDATE sessions SET status = 'processing', uploaded_at = @uploadedAt, processing_due_at = @dueAt
       WHERE id = @id AND status = 'uploading'`
    return (yield* change(sql, { id, uploadedAt, dueAt })) === 1
  },
  /** False if the session was deleted in the meantime. */
  *finish(id: string, processedAt: number, findings: Findings): Steps<boolean> {
    const changes = yield* change(
      `UPDATE sessions SET status = @status, processed_at = @processed_at, recorded_at = @recorded_at,
         duration_s = @duration_s, channels = @channels, segment_count = @segment_count, issues = @issues
       WHERE id = @id AND status = 'processing'`,
      {
        id,
        status: findings.status,
        processed_at: processedAt,
        recorded_at: findings.recordedAt === null ? null : Math.floor(findings.recordedAt),
        duration_s: findings.durationS,
        channels: JSON.stringify(findings.channels),
        segment_count: findings.segmentCount,
        issues: JSON.stringify(findings.issues),
      },
    )
    return changes === 1
  },
  /** Counts an attempt to inspect the session, and returns its number. Undefined if the session was deleted. */
  *beginInspection(id: string): Steps<number | undefined> {
    const row = yield* first<{ inspection_attempts: number }>(
      `UPDATE sessions SET inspection_attempts = inspection_attempts + 1 WHERE id = @id AND status = 'processing'
       RETURNING inspection_attempts`,
      { id },
    )
    return row?.inspection_attempts
  },
  /** Undoes `beginInspection`, because the attempt ended for a reason outside the recording. Inspect again at `dueAt`. */
  *postponeInspection(id: string, dueAt: number): Steps<void> {
    yield* change(
      `UPDATE sessions SET processing_due_at = @dueAt, inspection_attempts = inspection_attempts - 1
       WHERE id = @id AND status = 'processing'`,
      { id, dueAt },
    )
  },
  /** The attempt of `beginInspection` stays counted, because the recording may be the reason why it ended. */
  *repeatInspection(id: string, dueAt: number): Steps<void> {
    yield* change(`UPDATE sessions SET processing_due_at = @dueAt WHERE id = @id AND status = 'processing'`, {
      id,
      dueAt,
    })
  },
  /** Sessions to process now, in the order in which they became due. */
  dueForProcessing: (now: number, limit: number): Steps<SessionRow[]> =>
    all(
      `SELECT * FROM sessions WHERE status = 'processing' AND coalesce(processing_due_at, 0) <= @now
       ORDER BY processing_due_at, seq LIMIT @limit`,
      { now, limit },
    ),
  *nextProcessingAfter(now: number): Steps<number | null> {
    const row = yield* first<{ at: number | null }>(
      `SELECT min(processing_due_at) AS at FROM sessions WHERE status = 'processing' AND processing_due_at > @now`,
      { now },
    )
    return row?.at ?? null
  },
  /** Unfinished uploads from before the given time, oldest first. */
  abandoned: (createdBefore: number, limit: number): Steps<SessionRow[]> =>
    all(
      `SELECT * FROM sessions WHERE status = 'uploading' AND created_at < @createdBefore ORDER BY seq LIMIT @limit`,
      { createdBefore, limit },
    ),
  *remove(id: string): Steps<boolean> {
    return (yield* change('DELETE FROM sessions WHERE id = @id', { id })) === 1
  },
  /** Newest first. */
  list(filter: SessionFilter): Steps<SessionRow[]> {
    const sql = `SELECT * FROM sessions WHERE ${conditionOf(filter)} ORDER BY seq DESC LIMIT @limit`
    return all(sql, { ...filter })
  },
  /**
   * Searches the newest `scanLimit` sessions of the filter for a text in the name, device, notes or ID. No index can find a
   * text inside a name, and a scan of all sessions would block SQLite's other requests. Capital letters make no
   * difference in ASCII.
   */
  *search(filter: SessionFilter, text: string, scanLimit: number): Steps<SearchResult> {
    const params = { ...filter, scanLimit, pattern: `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%` }
    const scanned = (columns: string) =>
      `(SELECT ${columns} FROM sessions WHERE ${conditionOf(filter)} ORDER BY seq DESC LIMIT @scanLimit) AS scanned`
    const matches = searchedColumns.map((column) => `lower(${column}) LIKE @pattern ESCAPE '!'`).join(' OR ')
    const rows = yield* all<SessionRow>(
      `SELECT * FROM ${scanned('*')} WHERE ${matches} ORDER BY seq DESC LIMIT @limit`,
      params,
    )
    const end = yield* first<{ rows: number; seq: number | null; at: number | null }>(
      `SELECT count(*) AS rows, min(seq) AS seq, min(created_at) AS at FROM ${scanned('seq, created_at')}`,
      params,
    )
    const isCutOff = end !== undefined && end.rows === scanLimit
    return { rows, scannedTo: isCutOff ? { seq: end.seq!, at: end.at! } : null }
  },
}

export type SearchResult = {
  readonly rows: readonly SessionRow[]
  /** The oldest searched session. Null if the search has reached the end. */
  readonly scannedTo: { readonly seq: number; readonly at: number } | null
}

const searchedColumns = ['filename', 'device', 'notes', 'id']

function conditionOf(filter: SessionFilter): string {
  const where = ['org_id = @orgId']
  if (filter.site !== undefined) where.push('site = @site')
  if (filter.status !== undefined) where.push('status = @status')
  if (filter.createdGte !== undefined) where.push('created_at >= @createdGte')
  if (filter.createdLt !== undefined) where.push('created_at < @createdLt')
  if (filter.beforeSeq !== undefined) where.push('seq < @beforeSeq')
  return where.join(' AND ')
}
