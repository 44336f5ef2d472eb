import type { SessionIssue, SessionStatus } from '../../shared/contract/control-api.ts'
import { all, change, first, firstLocked, type Steps, send } from './steps.ts'

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
  /** The time at which the station completed the upload. */
  readonly uploaded_at: number | null
  readonly processing_due_at: number | null
  /** How many inspections have begun. An inspection that an outage or a normal stop interrupted does not count. */
  readonly inspection_attempts: number
  readonly processed_at: number | null
  readonly recorded_at: number | null
  readonly duration_s: number | null
  /** A JSON array of strings. */
  readonly channels: string
  readonly segment_count: number
  /** A JSON array of issues. */
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
  readonly afterSeq?: number
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
  /** §2.2: the first session of a site creates the site. */
  *insert(session: NewSession): Steps<void> {
    const { org_id, site, created_at } = session
    yield* send(
      `INSERT INTO sites (org_id, name, created_at) VALUES (@org_id, @site, @created_at) ON CONFLICT DO NOTHING`,
      { org_id, site, created_at },
    )
    yield* send(
      `INSERT INTO sessions (id, org_id, site, device, filename, bytes, sha256, part_size, notes, status, created_at)
       VALUES (@id, @org_id, @site, @device, @filename, @bytes, @sha256, @part_size, @notes, 'uploading', @created_at)`,
      session,
    )
  },
  get: (id: string): Steps<SessionRow | undefined> => first('SELECT * FROM sessions WHERE id = @id', { id }),
  /** Locks the session, so that no other transaction changes it before this transaction ends. */
  lock: (id: string): Steps<SessionRow | undefined> =>
    firstLocked('SELECT * FROM sessions WHERE id = @id', { id }),
  /** The caller has locked the session and checked that it is uploading. */
  startProcessing(id: string, uploadedAt: number, dueAt = uploadedAt): Steps<void> {
    const sql = `UPDATE sessions SET status = 'processing', uploaded_at = @uploadedAt, processing_due_at = @dueAt
       WHERE id = @id AND status = 'uploading'`
    return send(sql, { id, uploadedAt, dueAt })
  },
  /** Returns the finished session. Undefined if the session was deleted or was already finished. */
  finish(id: string, processedAt: number, findings: Findings): Steps<SessionRow | undefined> {
    return first(
      `UPDATE sessions SET status = @status, processed_at = @processed_at, recorded_at = @recorded_at,
         duration_s = @duration_s, channels = @channels, segment_count = @segment_count, issues = @issues
       WHERE id = @id AND status = 'processing' RETURNING *`,
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
  },
  /** Counts an attempt to inspect the session, and returns the session. Undefined if it is finished or deleted. */
  beginInspection: (id: string): Steps<SessionRow | undefined> =>
    first(
      `UPDATE sessions SET inspection_attempts = inspection_attempts + 1 WHERE id = @id AND status = 'processing'
       RETURNING *`,
      { id },
    ),
  /** Does not count the attempt. Call it if the recording is not the reason why the attempt ended. */
  *postponeInspection(id: string, dueAt: number): Steps<void> {
    yield* send(
      `UPDATE sessions SET processing_due_at = @dueAt, inspection_attempts = inspection_attempts - 1
       WHERE id = @id AND status = 'processing'`,
      { id, dueAt },
    )
  },
  /** Counts the attempt. Call it if the recording may be the reason why the attempt ended. */
  *repeatInspection(id: string, dueAt: number): Steps<void> {
    yield* send(`UPDATE sessions SET processing_due_at = @dueAt WHERE id = @id AND status = 'processing'`, {
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
  /**
   * Unfinished uploads that were created before the given time, oldest first. Without the plus signs, the database
   * would read every session in the order of `seq`.
   */
  abandoned: (createdBefore: number, afterSeq: number, limit: number): Steps<SessionRow[]> =>
    all(
      `SELECT * FROM sessions WHERE status = 'uploading' AND created_at < @createdBefore AND +seq > @afterSeq
       ORDER BY +seq LIMIT @limit`,
      { createdBefore, afterSeq, limit },
    ),
  *remove(id: string): Steps<boolean> {
    return (yield* change('DELETE FROM sessions WHERE id = @id', { id })) === 1
  },
  /** Newest first. */
  *list(filter: SessionFilter): Steps<SessionRow[]> {
    const range = yield* narrowSeq(filter)
    const sql = `SELECT * FROM sessions WHERE ${conditionOf(range)} ORDER BY seq DESC LIMIT @limit`
    return yield* all(sql, { ...range })
  },
  /**
   * Finds sessions that contain a text in the filename, device, notes or ID. Searches only the newest `scanLimit`
   * sessions of the filter: no index can find a text inside a name, and with SQLite, a scan of all sessions would block
   * other requests. The search ignores case. SQLite ignores the case only of ASCII letters.
   */
  *search(filter: SessionFilter, text: string, scanLimit: number): Steps<SearchResult> {
    const range = yield* narrowSeq(filter)
    const params = { ...range, scanLimit, pattern: `%${text.replace(/[!%_]/g, '!$&')}%` }
    const scanned = (columns: string) =>
      `(SELECT ${columns} FROM sessions WHERE ${conditionOf(range)} ORDER BY seq DESC LIMIT @scanLimit) AS scanned`
    const matches = searchedColumns
      .map((column) => `lower(${column}) LIKE lower(@pattern) ESCAPE '!'`)
      .join(' OR ')
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
  /** The smallest `seq` and the earliest time of the searched sessions. Null if there were fewer than `scanLimit`. */
  readonly scannedTo: { readonly seq: number; readonly at: number } | null
}

const searchedColumns = ['filename', 'device', 'notes', 'id']

/**
 * Adds limits of `seq` that enclose all sessions of the time range. The list is in the order of `seq`, so without these
 * limits the database would first read every newer session. If a session is more than `max_created_lag_ms` older than
 * the range, all sessions with a smaller `seq` are also older than the range. The limit for newer sessions works in the
 * same way.
 */
function* narrowSeq(filter: SessionFilter): Steps<SessionFilter> {
  const { orgId, createdGte = null, createdLt = null, beforeSeq = Infinity } = filter
  if (createdGte === null && createdLt === null) return filter
  const ends = yield* first<{ after_seq: number | null; before_seq: number | null }>(
    `SELECT
       (SELECT seq FROM sessions WHERE org_id = @orgId AND created_at < @createdGte - max_created_lag_ms
        ORDER BY created_at DESC LIMIT 1) AS after_seq,
       (SELECT seq FROM sessions WHERE org_id = @orgId AND created_at >= @createdLt + max_created_lag_ms
        ORDER BY created_at LIMIT 1) AS before_seq
     FROM orgs WHERE id = @orgId`,
    { orgId, createdGte, createdLt },
  )
  const end = Math.min(beforeSeq, ends?.before_seq ?? Infinity)
  return {
    ...filter,
    ...(end === Infinity ? {} : { beforeSeq: end }),
    ...(ends?.after_seq == null ? {} : { afterSeq: ends.after_seq }),
  }
}

function conditionOf(filter: SessionFilter): string {
  const where = ['org_id = @orgId']
  if (filter.site !== undefined) where.push('site = @site')
  if (filter.status !== undefined) where.push('status = @status')
  // The plus sign keeps the database from using an index by time, which has a different order.
  if (filter.createdGte !== undefined) where.push('+created_at >= @createdGte')
  if (filter.createdLt !== undefined) where.push('+created_at < @createdLt')
  if (filter.afterSeq !== undefined) where.push('seq > @afterSeq')
  if (filter.beforeSeq !== undefined) where.push('seq < @beforeSeq')
  return where.join(' AND ')
}
