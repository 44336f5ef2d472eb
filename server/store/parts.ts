import { meta } from './meta.ts'
import { all, first, type Steps, send } from './steps.ts'

/** A file is a leftover if no part row names it, unless it is older than the database. */
export type PartUsage = { readonly usedNames: ReadonlySet<string>; readonly firstUsedAtMs: number }

export type PartRow = {
  readonly session_id: string
  readonly number: number
  /** The name of the bytes in the storage. */
  readonly file: string
  readonly bytes: number
  /** Hex. Empty if the station uploaded the part directly to the storage. */
  readonly sha256: string
  readonly etag: string
}

export const parts = {
  *put(part: PartRow): Steps<void> {
    yield* send(
      `INSERT INTO parts (session_id, number, file, bytes, sha256, etag)
       VALUES (@session_id, @number, @file, @bytes, @sha256, @etag)
       ON CONFLICT (session_id, number) DO UPDATE SET
         file = excluded.file, bytes = excluded.bytes, sha256 = excluded.sha256, etag = excluded.etag`,
      part,
    )
  },
  /** Removes the row unless the part was replaced. */
  *remove({ session_id, number, file }: PartRow): Steps<void> {
    yield* send('DELETE FROM parts WHERE session_id = @session_id AND number = @number AND file = @file', {
      session_id,
      number,
      file,
    })
  },
  get: (sessionId: string, number: number): Steps<PartRow | undefined> =>
    first('SELECT * FROM parts WHERE session_id = @sessionId AND number = @number', { sessionId, number }),
  ofSession: (sessionId: string): Steps<PartRow[]> =>
    all('SELECT * FROM parts WHERE session_id = @sessionId ORDER BY number', { sessionId }),
  *received(sessionId: string): Steps<{ readonly parts: number; readonly bytes: number }> {
    const sql = `SELECT count(*) AS parts, coalesce(sum(bytes), 0) AS bytes FROM parts WHERE session_id = @sessionId`
    const row = yield* first<{ parts: number; bytes: number }>(sql, { sessionId })
    // In PostgreSQL, the sum of big integers is a decimal, which the driver returns as text.
    return { parts: row!.parts, bytes: Number(row!.bytes) }
  },
  /** All names in part rows. */
  *files(): Steps<Set<string>> {
    const rows = yield* all<{ file: string }>('SELECT file FROM parts')
    return new Set(rows.map((row) => row.file))
  },
  *usage(nowMs: number): Steps<PartUsage> {
    return { usedNames: yield* parts.files(), firstUsedAtMs: yield* meta.firstUsedAtMs(nowMs) }
  },
}
