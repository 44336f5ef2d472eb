import { first, type Steps, send } from './steps.ts'

/** The state of the SHA-256 after the first parts of a session. */
export type PrefixHashRow = {
  readonly session_id: string
  readonly parts: number
  /** Identifies the bytes of these parts. If a part was replaced, the server ignores the row. */
  readonly files: string
  readonly state: string
}

export const prefixHashes = {
  get: (sessionId: string): Steps<PrefixHashRow | undefined> =>
    first('SELECT * FROM prefix_hashes WHERE session_id = @sessionId', { sessionId }),
  *put(row: PrefixHashRow): Steps<void> {
    yield* send(
      `INSERT INTO prefix_hashes (session_id, parts, files, state) VALUES (@session_id, @parts, @files, @state)
       ON CONFLICT (session_id) DO UPDATE SET
         parts = excluded.parts, files = excluded.files, state = excluded.state`,
      row,
    )
  },
  *remove(sessionId: string): Steps<void> {
    yield* send('DELETE FROM prefix_hashes WHERE session_id = @sessionId', { sessionId })
  },
}
