import type { SessionIssue, SessionStatus } from '../../shared/contract/control-api.ts'
import type { Db } from './open.ts'

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
  readonly processing_due_at: number | null
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

export type SessionStore = ReturnType<typeof sessionStore>

export function sessionStore(db: Db) {
  const insertSite = db.prepare(
    'INSERT INTO sites (org_id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const insert = db.prepare(
    `INSERT INTO sessions (id, org_id, site, device, filename, bytes, sha256, part_size, notes, status, created_at)
     VALUES (@id, @org_id, @site, @device, @filename, @bytes, @sha256, @part_size, @notes, 'uploading', @created_at)`,
  )
  const byId = db.prepare<[string], SessionRow>('SELECT * FROM sessions WHERE id = ?')
  const toProcessing = db.prepare(
    `UPDATE sessions SET status = 'processing', processing_due_at = ? WHERE id = ? AND status = 'uploading'`,
  )
  const toEnd = db.prepare(
    `UPDATE sessions SET status = @status, processed_at = @processed_at, recorded_at = @recorded_at,
       duration_s = @duration_s, channels = @channels, segment_count = @segment_count, issues = @issues
     WHERE id = @id AND status = 'processing'`,
  )
  const inProcessing = db.prepare<[], SessionRow>(
    `SELECT * FROM sessions WHERE status = 'processing' ORDER BY seq`,
  )
  const remove = db.prepare('DELETE FROM sessions WHERE id = ?')

  return {
    /** §2.2: a site is created on first use. */
    insert(session: NewSession): void {
      insertSite.run(session.org_id, session.site, session.created_at)
      insert.run(session)
    },
    get: (id: string): SessionRow | undefined => byId.get(id),
    /** False if the session is no longer uploading. */
    startProcessing: (id: string, dueAt: number): boolean => toProcessing.run(dueAt, id).changes === 1,
    /** False if the session was deleted in the meantime. */
    finish(id: string, processedAt: number, found: Findings): boolean {
      const { changes } = toEnd.run({
        id,
        status: found.status,
        processed_at: processedAt,
        recorded_at: found.recordedAt,
        duration_s: found.durationS,
        channels: JSON.stringify(found.channels),
        segment_count: found.segmentCount,
        issues: JSON.stringify(found.issues),
      })
      return changes === 1
    },
    inProcessing: (): SessionRow[] => inProcessing.all(),
    remove: (id: string): boolean => remove.run(id).changes === 1,
    /** Newest first. */
    list(filter: SessionFilter): SessionRow[] {
      const where = ['org_id = @orgId']
      if (filter.site !== undefined) where.push('site = @site')
      if (filter.status !== undefined) where.push('status = @status')
      if (filter.createdGte !== undefined) where.push('created_at >= @createdGte')
      if (filter.createdLt !== undefined) where.push('created_at < @createdLt')
      if (filter.beforeSeq !== undefined) where.push('seq < @beforeSeq')
      const sql = `SELECT * FROM sessions WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT @limit`
      return db.prepare<[SessionFilter], SessionRow>(sql).all(filter)
    },
  }
}
