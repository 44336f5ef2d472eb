import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { liveStates } from '../domain/states.ts'
import { takeOf } from '../domain/takes.ts'
import { type Recording, toRecordings } from './row.ts'
import { placeholders, Statements, transaction } from './statements.ts'

/**
 * The SQL condition for the files of the take at `:path`. For the take `run_*.mcap`, `:path` may also be `run`. The
 * range then covers every extension, because `/` follows `.` in ASCII.
 */
export const TAKE_NAMED = "(take = :path OR (take >= :path || '_*.' AND take < :path || '_*/'))"

/**
 * Finds takes and their files, and assigns files to takes. The results omit recordings whose content was replaced
 * (`current = 0`).
 */
export class TakeStore {
  readonly #db: Database
  readonly #statements: Statements
  readonly #changed: () => void
  readonly #paths: Paths

  constructor(db: Database, changed: () => void, paths: Paths) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#changed = changed
    this.#paths = paths
  }

  members(take: string): Recording[] {
    return toRecordings(
      this.#statements
        .of('SELECT * FROM recordings WHERE take = ? AND current = 1 ORDER BY path, id')
        .all(take),
    )
  }

  /**
   * The files of the take that are `queued` (the hasher has not claimed them yet) and due at `dueMs`. `isWithWaiting`
   * adds the `queued` files that are not due yet and have no problem.
   */
  queued(take: string, options: { dueMs: number; isWithWaiting: boolean; limit: number }): Recording[] {
    return toRecordings(
      this.#statements
        .of(
          `SELECT * FROM recordings WHERE take = ? AND current = 1 AND state = 'queued'
             AND (next_attempt_at <= ? OR (? AND problem_code IS NULL)) ORDER BY path, id LIMIT ?`,
        )
        .all(take, options.dueMs, options.isWithWaiting ? 1 : 0, options.limit),
    )
  }

  /** The takes with files on which Sluice still has work to do. */
  unfinished(): string[] {
    return this.#statements
      .of(
        `SELECT DISTINCT take FROM recordings
         WHERE state IN (${placeholders(liveStates)}) AND take IS NOT NULL AND current = 1`,
      )
      .pluck()
      .all(...liveStates) as string[]
  }

  /**
   * The files of the take at this path. For a split recording, the path may omit the number and the extension: `run`
   * for `run_*.mcap`.
   */
  named(path: string): Recording[] {
    return toRecordings(
      this.#statements
        .of(`SELECT * FROM recordings WHERE ${TAKE_NAMED} AND current = 1 ORDER BY path, id`)
        .all({ path }),
    )
  }

  /** The other files of the takes that these files belong to. */
  otherFiles(ids: readonly number[]): number[] {
    const idsJson = JSON.stringify(ids)
    return this.#statements
      .of(
        `SELECT id FROM recordings WHERE current = 1 AND id NOT IN (SELECT value FROM json_each(?)) AND take IN
           (SELECT take FROM recordings WHERE take IS NOT NULL AND id IN (SELECT value FROM json_each(?)))`,
      )
      .all(idsJson, idsJson)
      .map((row) => (row as { readonly id: number }).id)
  }

  /** The first paths of a take, and the number of all its files. */
  files(take: string, limit: number): { readonly paths: readonly string[]; readonly count: number } {
    const rows = this.#statements
      .of('SELECT path FROM recordings WHERE take = ? AND current = 1 ORDER BY path LIMIT ?')
      .all(take, limit) as { readonly path: string }[]
    const { n } = this.#statements
      .of('SELECT COUNT(*) AS n FROM recordings WHERE take = ? AND current = 1')
      .get(take) as { readonly n: number }
    return { paths: rows.map(({ path }) => path), count: n }
  }

  /** The paths of the newest files of a folder. The caller uses them to recognise the layout of takes. */
  newestPaths(folder: string): string[] {
    return this.#statements
      .of('SELECT path FROM recordings WHERE folder_key = ? AND current = 1 ORDER BY id DESC LIMIT 500')
      .all(this.#paths.key(folder))
      .map((row) => (row as { readonly path: string }).path)
  }

  /**
   * Sets the take of each file in the folder, because a user may have changed the `take` setting or the spelling of the
   * folder. Writes only if a take is wrong, because a locked journal would delay the write and the new settings.
   */
  assign(folder: FolderSettings): void {
    const rows = this.#statements
      .of(
        `SELECT id, path, take FROM recordings
         WHERE folder_key = ? AND ${folder.take === 'file' ? 'take IS NOT NULL' : 'current = 1'}`,
      )
      .all(this.#paths.key(folder.path)) as {
      readonly id: number
      readonly path: string
      readonly take: string | null
    }[]
    const wrong = rows
      .map(({ id, path, take }) => ({ id, take, right: takeOf(folder, path, this.#paths) }))
      .filter(({ take, right }) => take !== right)
    if (wrong.length === 0) return
    transaction(this.#db, () => {
      const update = this.#statements.of('UPDATE recordings SET take = ? WHERE id = ?')
      for (const { id, right } of wrong) update.run(right, id)
    })
    this.#changed()
  }
}
