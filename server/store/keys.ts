import { all, change, first, type Steps } from './steps.ts'

export type KeyRow = {
  /** Hex SHA-256 of the key. The server shows the key itself once and does not store it. */
  readonly key: string
  readonly id: string
  readonly name: string
  readonly org_id: string
  readonly can_write: 0 | 1
  readonly revoked: 0 | 1
  readonly created_at: number
}

export const keys = {
  get: (hash: string): Steps<KeyRow | undefined> => first('SELECT * FROM keys WHERE key = @hash', { hash }),
  byId: (id: string): Steps<KeyRow | undefined> => first('SELECT * FROM keys WHERE id = @id', { id }),
  list: (): Steps<KeyRow[]> => all('SELECT * FROM keys ORDER BY created_at, id'),
  *add(row: KeyRow): Steps<void> {
    yield* change(
      `INSERT INTO keys (key, id, name, org_id, can_write, revoked, created_at)
       VALUES (@key, @id, @name, @org_id, @can_write, @revoked, @created_at)`,
      row,
    )
  },
  /** Returns the organisation of the key, or null if there is no such key. */
  *revoke(id: string): Steps<string | null> {
    const sql = 'UPDATE keys SET revoked = 1 WHERE id = @id RETURNING org_id'
    return (yield* first<{ org_id: string }>(sql, { id }))?.org_id ?? null
  },
  *replaceAll(rows: readonly KeyRow[]): Steps<void> {
    yield* change('DELETE FROM keys')
    for (const row of rows) yield* keys.add(row)
  },
}
