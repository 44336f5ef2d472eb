import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import { Statements, transaction } from './statements.ts'

export type Part = {
  readonly number: number
  readonly bytes: number
  readonly sha256: string
  /** A signed URL. It must never appear in a log, in the window or in an error text. */
  readonly url: string | null
  readonly etag: string | null
  readonly etagGuessed: boolean
  readonly resend: boolean
}

const partSchema = z
  .object({
    number: z.number(),
    bytes: z.number(),
    sha256: z.string(),
    url: z.string().nullable(),
    etag: z.string().nullable(),
    etag_guessed: z.number(),
    resend: z.number(),
  })
  .transform(
    (row): Part => ({
      number: row.number,
      bytes: row.bytes,
      sha256: row.sha256,
      url: row.url,
      etag: row.etag,
      etagGuessed: row.etag_guessed !== 0,
      resend: row.resend !== 0,
    }),
  )

export class PartStore {
  readonly #db: Database
  readonly #statements: Statements
  readonly #changed: (id: number) => void

  constructor(db: Database, changed: (id: number) => void) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#changed = changed
  }

  of(recordingId: number): Part[] {
    return this.#statements
      .of('SELECT * FROM parts WHERE recording_id = ? ORDER BY number')
      .all(recordingId)
      .map((row) => partSchema.parse(row))
  }

  /** The size of the recording's content when Sluice last hashed it. */
  bytesOf(recordingId: number): number {
    const row = this.#statements
      .of('SELECT COALESCE(SUM(bytes), 0) AS n FROM parts WHERE recording_id = ?')
      .get(recordingId) as { n: number }
    return row.n
  }

  /**
   * Replaces the parts after a hash. Parts with the same size and digest keep their ETag, so they are not sent again.
   * If the earlier part with the same number had an ETag but is different, the new part is marked `resend`.
   */
  replace(recordingId: number, parts: readonly { readonly bytes: number; readonly sha256: string }[]): void {
    const oldParts = new Map(this.of(recordingId).map((part) => [part.number, part]))
    this.#statements.of('DELETE FROM parts WHERE recording_id = ?').run(recordingId)
    const insert = this.#statements.of(
      `INSERT INTO parts (recording_id, number, bytes, sha256, url, etag, etag_guessed, resend)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    parts.forEach((part, index) => {
      const oldPart = oldParts.get(index + 1)
      const isSame = oldPart !== undefined && oldPart.bytes === part.bytes && oldPart.sha256 === part.sha256
      const unchanged = isSame ? oldPart : null
      insert.run(
        recordingId,
        index + 1,
        part.bytes,
        part.sha256,
        oldPart?.url ?? null,
        unchanged?.etag ?? null,
        Number(unchanged?.etagGuessed ?? false),
        Number(unchanged?.resend ?? (oldPart?.etag ?? null) !== null),
      )
    })
    // If no old part had an ETag, no part counts as sent, and the counts stay zero.
    if ([...oldParts.values()].some(({ etag }) => etag !== null)) this.#recount(recordingId)
    else this.#changed(recordingId)
  }

  setUrls(recordingId: number, urls: readonly { readonly number: number; readonly url: string }[]): void {
    const set = this.#statements.of('UPDATE parts SET url = ? WHERE recording_id = ? AND number = ?')
    for (const { number, url } of urls) set.run(url, recordingId, number)
  }

  /** Stores the ETag, so that Sluice does not send the part again after a crash. */
  markSent(recordingId: number, number: number, etag: string, options: { readonly guessed: boolean }): void {
    transaction(this.#db, () => {
      this.#statements
        .of('UPDATE parts SET etag = ?, etag_guessed = ?, resend = 0 WHERE recording_id = ? AND number = ?')
        .run(etag, Number(options.guessed), recordingId, number)
      this.#recount(recordingId)
    })
  }

  /** Call for parts that the service reports as missing: the service's list overrides the journal. */
  forgetEtags(recordingId: number, numbers: readonly number[]): void {
    const clear = this.#statements.of(
      'UPDATE parts SET etag = NULL, etag_guessed = 0, resend = 0 WHERE recording_id = ? AND number = ?',
    )
    for (const number of numbers) clear.run(recordingId, number)
    this.#recount(recordingId)
  }

  /** Makes Sluice send every part again, in the same session. */
  resendAll(recordingId: number): void {
    this.#statements
      .of('UPDATE parts SET etag = NULL, etag_guessed = 0, resend = 1 WHERE recording_id = ?')
      .run(recordingId)
    this.#recount(recordingId)
  }

  /** Clears everything that belongs to a given-up session. Keeps the digests, which depend only on the file. */
  forgetSession(recordingId: number): void {
    this.#statements
      .of('UPDATE parts SET url = NULL, etag = NULL, etag_guessed = 0, resend = 0 WHERE recording_id = ?')
      .run(recordingId)
    this.#recount(recordingId)
  }

  /** Call as soon as the signed URLs are no longer needed. */
  forgetUrls(recordingId: number): void {
    this.#statements.of('UPDATE parts SET url = NULL WHERE recording_id = ?').run(recordingId)
  }

  #recount(recordingId: number): void {
    this.#statements
      .of(
        `UPDATE recordings SET
           parts_sent = (SELECT COUNT(*) FROM parts WHERE recording_id = @id AND etag IS NOT NULL),
           bytes_sent = (SELECT COALESCE(SUM(bytes), 0) FROM parts WHERE recording_id = @id AND etag IS NOT NULL)
         WHERE id = @id`,
      )
      .run({ id: recordingId })
    this.#changed(recordingId)
  }
}
