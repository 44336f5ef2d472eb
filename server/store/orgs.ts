import { all, change, first, firstLocked, type Steps } from './steps.ts'

/** Null: no limit. */
export type Quota = { readonly max_bytes: number | null; readonly max_sessions: number | null }

export type OrgRow = Quota & {
  readonly id: string
  readonly name: string
  /** Triggers count all existing sessions. Incomplete uploads count too, because their space is reserved. */
  readonly used_bytes: number
  readonly used_sessions: number
}

export const orgs = {
  get: (id: string): Steps<OrgRow | undefined> => first('SELECT * FROM orgs WHERE id = @id', { id }),
  /**
   * Locks the organisation, so that no other transaction creates or deletes its sessions before this transaction ends.
   */
  lock: (id: string): Steps<OrgRow | undefined> => firstLocked('SELECT * FROM orgs WHERE id = @id', { id }),
  list: (): Steps<OrgRow[]> => all('SELECT * FROM orgs ORDER BY id'),
  /** False if the organisation already exists. */
  *add(id: string, name: string): Steps<boolean> {
    const sql = 'INSERT INTO orgs (id, name) VALUES (@id, @name) ON CONFLICT DO NOTHING'
    return (yield* change(sql, { id, name })) === 1
  },
  *setQuota(id: string, quota: Quota): Steps<void> {
    const sql = 'UPDATE orgs SET max_bytes = @max_bytes, max_sessions = @max_sessions WHERE id = @id'
    yield* change(sql, { id, ...quota })
  },
}
