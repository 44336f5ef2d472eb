import { all, change, first, firstLocked, type Steps } from './steps.ts'

/** Null: no limit. */
export type Quota = { readonly max_bytes: number | null; readonly max_sessions: number | null }

export type OrgRow = Quota & { readonly id: string; readonly name: string }

export type Usage = { readonly bytes: number; readonly sessions: number }

export const orgs = {
  get: (id: string): Steps<OrgRow | undefined> => first('SELECT * FROM orgs WHERE id = @id', { id }),
  /** Makes the organisation's requests wait for each other, so that two requests cannot both use the rest of the quota. */
  lock: (id: string): Steps<OrgRow | undefined> => firstLocked('SELECT * FROM orgs WHERE id = @id', { id }),
  list: (): Steps<OrgRow[]> => all('SELECT * FROM orgs ORDER BY id'),
  /** False if the organisation already exists. */
  *add(id: string, name: string): Steps<boolean> {
    const sql = 'INSERT INTO orgs (id, name) VALUES (@id, @name) ON CONFLICT DO NOTHING'
    return (yield* change(sql, { id, name })) === 1
  },
  /** False if there is no such organisation. */
  *setQuota(id: string, quota: Quota): Steps<boolean> {
    const sql = 'UPDATE orgs SET max_bytes = @max_bytes, max_sessions = @max_sessions WHERE id = @id'
    return (yield* change(sql, { id, ...quota })) === 1
  },
  /** Counts all existing sessions, including incomplete uploads: their space is reserved. */
  *usage(id: string): Steps<Usage> {
    const sql = `SELECT coalesce(CAST(sum(bytes) AS BIGINT), 0) AS bytes, count(*) AS sessions
       FROM sessions WHERE org_id = @id`
    return (yield* first<Usage>(sql, { id }))!
  },
}
