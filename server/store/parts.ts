import type { Db } from './open.ts'

export type PartRow = {
  readonly session_id: string
  readonly number: number
  /** Name in the folder of part files. */
  readonly file: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
  readonly etag: string
}

export type PartStore = ReturnType<typeof partStore>

export function partStore(db: Db) {
  const put = db.prepare(
    `INSERT INTO parts (session_id, number, file, bytes, sha256, etag)
     VALUES (@session_id, @number, @file, @bytes, @sha256, @etag)
     ON CONFLICT (session_id, number) DO UPDATE SET
       file = excluded.file, bytes = excluded.bytes, sha256 = excluded.sha256, etag = excluded.etag`,
  )
  const one = db.prepare<[string, number], PartRow>('SELECT * FROM parts WHERE session_id = ? AND number = ?')
  const ofSession = db.prepare<[string], PartRow>('SELECT * FROM parts WHERE session_id = ? ORDER BY number')
  const files = db.prepare<[], string>('SELECT file FROM parts').pluck()

  return {
    put: (part: PartRow): void => void put.run(part),
    get: (sessionId: string, number: number): PartRow | undefined => one.get(sessionId, number),
    ofSession: (sessionId: string): PartRow[] => ofSession.all(sessionId),
    /** Every file that a row names; all others in the folder are leftovers. */
    files: (): Set<string> => new Set(files.all() as string[]),
  }
}
