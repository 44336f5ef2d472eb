import { all, change, first, type Steps } from './steps.ts'

export type PartRow = {
  readonly session_id: string
  readonly number: number
  /** The name of the bytes in the storage. */
  readonly file: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
  readonly etag: string
}

export const parts = {
  *put(part: PartRow): Steps<void> {
    yield* change(
      `INSERT INTO parts (session_id, number, file, bytes, sha256, etag)
       VALUES (@session_id, @number, @file, @bytes, @sha256, @etag)
       ON CONFLICT (session_id, number) DO UPDATE SET
         file = excluded.file, bytes = excluded.bytes, sha256 = excluded.sha256, etag = excluded.etag`,
      part,
    )
  },
  get: (sessionId: string, number: number): Steps<PartRow | undefined> =>
    first('SELECT * FROM parts WHERE session_id = @sessionId AND number = @number', { sessionId, number }),
  ofSession: (sessionId: string): Steps<PartRow[]> =>
    all('SELECT * FROM parts WHERE session_id = @sessionId ORDER BY number', { sessionId }),
  /** All names in part rows. Bytes with any other name are leftovers. */
  *files(): Steps<Set<string>> {
    const rows = yield* all<{ file: string }>('SELECT file FROM parts')
    return new Set(rows.map((row) => row.file))
  },
}
