import { change, first, type Steps } from './steps.ts'

export type IdempotencyRow = {
  readonly org_id: string
  readonly key: string
  readonly fingerprint: string
  readonly created_at: number
  readonly request_id: string
  /** JSON of the outcome. */
  readonly answer: string
}

export const idempotency = {
  get: (orgId: string, key: string): Steps<IdempotencyRow | undefined> =>
    first('SELECT * FROM idempotency WHERE org_id = @orgId AND key = @key', { orgId, key }),
  /** False if a different instance used the key after `expiredAt`. */
  *put(row: IdempotencyRow, expiredAt: number): Steps<boolean> {
    const changes = yield* change(
      `INSERT INTO idempotency (org_id, key, fingerprint, created_at, request_id, answer)
       VALUES (@org_id, @key, @fingerprint, @created_at, @request_id, @answer)
       ON CONFLICT (org_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, created_at = excluded.created_at,
         request_id = excluded.request_id, answer = excluded.answer
       WHERE idempotency.created_at <= @expiredAt`,
      { ...row, expiredAt },
    )
    return changes === 1
  },
  expire: (createdAtOrBefore: number): Steps<number> =>
    change('DELETE FROM idempotency WHERE created_at <= @createdAtOrBefore', { createdAtOrBefore }),
}
