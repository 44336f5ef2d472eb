import type { Db } from './open.ts'

export type IdempotencyRow = {
  readonly org_id: string
  readonly key: string
  readonly fingerprint: string
  readonly created_at: number
  readonly request_id: string
  /** JSON of the outcome. */
  readonly answer: string
}

export type IdempotencyStore = ReturnType<typeof idempotencyStore>

export function idempotencyStore(db: Db) {
  const get = db.prepare<[string, string], IdempotencyRow>(
    'SELECT * FROM idempotency WHERE org_id = ? AND key = ?',
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO idempotency (org_id, key, fingerprint, created_at, request_id, answer)
     VALUES (@org_id, @key, @fingerprint, @created_at, @request_id, @answer)`,
  )
  const expire = db.prepare('DELETE FROM idempotency WHERE created_at <= ?')

  return {
    get: (orgId: string, key: string): IdempotencyRow | undefined => get.get(orgId, key),
    put: (row: IdempotencyRow): void => void put.run(row),
    expire: (createdAtOrBefore: number): void => void expire.run(createdAtOrBefore),
  }
}
