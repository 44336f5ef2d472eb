import { all, change, first, type Steps } from './steps.ts'

export type KeyRow = {
  /** Hex SHA-256 of the key. The key itself is shown once and not stored. */
  readonly key: string
  readonly id: string
  readonly name: string
  readonly org_id: string
  readonly can_write: 0 | 1
  readonly revoked: 0 | 1
  readonly created_at: number
}

export type OrgRow = { readonly id: string; readonly name: string }

export const keys = {
  get: (hash: string): Steps<KeyRow | undefined> => first('SELECT * FROM keys WHERE key = @hash', { hash }),
  list: (): Steps<KeyRow[]> => all('SELECT * FROM keys ORDER BY created_at, id'),
  *add(row: KeyRow): Steps<void> {
    yield* change(
      `INSERT INTO keys (key, id, name, org_id, can_write, revoked, created_at)
       VALUES (@key, @id, @name, @org_id, @can_write, @revoked, @created_at)`,
      row,
    )
  },
  /** False if there is no such key. */
  *revoke(id: string): Steps<boolean> {
    return (yield* change('UPDATE keys SET revoked = 1 WHERE id = @id', { id })) === 1
  },
  *replaceAll(rows: readonly KeyRow[]): Steps<void> {
    yield* change('DELETE FROM keys')
    for (const row of rows) yield* keys.add(row)
  },
}

export const orgs = {
  get: (id: string): Steps<OrgRow | undefined> => first('SELECT id, name FROM orgs WHERE id = @id', { id }),
  list: (): Steps<OrgRow[]> => all('SELECT id, name FROM orgs ORDER BY id'),
  /** False if the organisation exists. */
  *add(id: string, name: string): Steps<boolean> {
    const sql = 'INSERT INTO orgs (id, name) VALUES (@id, @name) ON CONFLICT DO NOTHING'
    return (yield* change(sql, { id, name })) === 1
  },
}
