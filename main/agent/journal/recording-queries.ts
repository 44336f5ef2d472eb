import { hostname } from 'node:os'
import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import type { FileIdentity } from '../domain/file-identity.ts'
import { shownLabels } from '../domain/naming.ts'
import type { StandingFacts } from '../domain/standing.ts'
import { fileNeededStates, hashedStates } from '../domain/states.ts'
import { type Recording, toRecording, toRecordings } from './row.ts'
import { placeholders, Statements } from './statements.ts'

export type SeenFile = {
  readonly state: RecordingState
  readonly service: string | null
  readonly hasProblem: boolean
  readonly identity: FileIdentity
}

type SeenColumns = readonly [
  index: number,
  state: RecordingState,
  service: string | null,
  hasProblem: number,
  device: string,
  inode: string,
  sizeBytes: number,
  mtimeNs: string,
  ctimeNs: string,
]

/** The columns that a scan needs to check whether the file of an unfinished recording still exists. */
export type NeededFile = { readonly id: number; readonly path: string; readonly state: RecordingState }

/** Finds recordings by path, file, session and content. */
export class RecordingQueries {
  readonly #statements: Statements
  readonly #paths: Paths

  constructor(db: Database, paths: Paths) {
    this.#statements = new Statements(db)
    this.#paths = paths
  }

  byId(id: number): Recording | null {
    return this.#one('SELECT * FROM recordings WHERE id = ?', id)
  }

  currentByPath(file: string): Recording | null {
    return this.#one('SELECT * FROM recordings WHERE path = ? AND current = 1', file)
  }

  /**
   * For each path in `files`, the columns that a scan compares, from the current row of the path. Undefined for an
   * unknown path, and for a file that Sluice removed. A scan may pass 100,000 paths, so one query covers many paths.
   */
  seenBefore(files: readonly string[]): readonly (SeenFile | undefined)[] {
    const rows = this.#statements
      .of(
        `SELECT asked.key, state, service, problem_code IS NOT NULL, file_device, file_inode, bytes, mtime_ns, ctime_ns
         FROM json_each(?) AS asked CROSS JOIN recordings
         WHERE recordings.path = asked.value AND current = 1 AND removed_at IS NULL`,
      )
      .raw()
      .all(JSON.stringify(files)) as SeenColumns[]
    const known: (SeenFile | undefined)[] = Array.from({ length: files.length })
    for (const row of rows) {
      const [index, state, service, hasProblem, device, inode, sizeBytes, mtimeNs, ctimeNs] = row
      const identity = { device, inode, sizeBytes, mtimeNs, ctimeNs }
      known[index] = { state, service, hasProblem: hasProblem !== 0, identity }
    }
    return known
  }

  /** Recordings that Sluice removed or is removing from this path, or from this path with any extension. */
  removedFrom(pathWithoutExtension: string): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE (path = ? OR (path > ? AND path < ?)) AND current = 1
         AND (removed_at IS NOT NULL
              OR EXISTS (SELECT 1 FROM removals WHERE recording_id = recordings.id AND step IS NOT NULL))`,
      pathWithoutExtension,
      `${pathWithoutExtension}.`,
      // `/` is the character after `.`, so the range covers every extension.
      `${pathWithoutExtension}/`,
    )
  }

  /**
   * The oldest mtime of this site's files for which Sluice must search for a session. Null if there are no such files.
   * Leaves out paused files, and files whose hold does not clear by itself.
   */
  oldestSearchedMs(site: string): number | null {
    const row = this.#statements
      .of(
        `SELECT MIN(CAST(mtime_ns AS INTEGER)) / 1000000 AS ms FROM recordings
         WHERE look_first = 1 AND session_id IS NULL AND site = ? AND state IN (${placeholders(fileNeededStates)})
           AND paused = 0 AND COALESCE(ends_by, 'time') = 'time'`,
      )
      .get(site, ...fileNeededStates) as { readonly ms: number | null }
    return row.ms
  }

  /**
   * Rows whose path differs from `file` only in spelling, oldest first. In a case-sensitive folder, such a path may
   * name a different file.
   */
  otherSpellings(file: string): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE path_key = ? AND path <> ? AND current = 1 AND removed_at IS NULL
       ORDER BY id`,
      this.#paths.key(file),
      file,
    )
  }

  /** Recordings that may be this file under an earlier name. */
  byInode(identity: FileIdentity): Recording[] {
    return this.#all(
      `SELECT * FROM recordings WHERE file_inode = ? AND file_device = ? AND current = 1
       AND removed_at IS NULL`,
      identity.inode,
      identity.device,
    )
  }

  bySession(sessionId: string): Recording[] {
    return this.#all('SELECT * FROM recordings WHERE session_id = ?', sessionId)
  }

  /** Sessions that should exist at the service. Sessions of the most recently changed recordings come first. */
  knownSessions(limit: number): string[] {
    const rows = this.#statements
      .of(
        `SELECT session_id FROM recordings WHERE session_id IS NOT NULL AND state <> 'failed'
       ORDER BY changed_at DESC, id DESC LIMIT ?`,
      )
      .all(limit) as { session_id: string }[]
    return [...new Set(rows.map((row) => row.session_id))]
  }

  /** Leaves out the recordings whose problem a user dismissed. */
  idsWithProblem(code: ProblemCode): number[] {
    const rows = this.#statements
      .of(`SELECT id FROM recordings WHERE problem_code = ? AND ends_by IS NOT 'dismissed'`)
      .all(code) as { id: number }[]
    return rows.map(({ id }) => id)
  }

  /**
   * For each recording in a folder, the columns that decide its standing. Ordered by id. Includes superseded
   * recordings.
   */
  standingFactsIn(
    folder: string,
    afterId: number,
    limit: number,
  ): (Required<StandingFacts> & { readonly path: string })[] {
    const rows = this.#statements
      .of(
        `SELECT id, path, state, ends_by AS endsBy, service, paused FROM recordings
         WHERE folder_key = ? AND id > ? ORDER BY id LIMIT ?`,
      )
      .all(this.#paths.key(folder), afterId, limit) as (Required<Omit<StandingFacts, 'paused'>> & {
      readonly path: string
      readonly paused: number
    })[]
    return rows.map((row) => ({ ...row, paused: row.paused !== 0 }))
  }

  /** Recordings that still need their file. A scan uses this list to detect missing files. */
  neededIn(folder: string): NeededFile[] {
    return this.#statements
      .of(
        `SELECT id, path, state FROM recordings
       WHERE folder_key = ? AND current = 1 AND state IN (${placeholders(fileNeededStates)})`,
      )
      .all(this.#paths.key(folder), ...fileNeededStates) as NeededFile[]
  }

  // The queries by content use INDEXED BY. Otherwise SQLite would choose the index of sizes, which is slow because
  // recorders often write many files of one size.

  /**
   * Other recordings of the same site with the same content. Leaves out those with a session at a different or unknown
   * service. The sessions of one site share a frame of reference (§2.2), so different sites never share a session.
   */
  sameContent(recording: Recording, service: string): Recording[] {
    return this.#all(
      `SELECT * FROM recordings INDEXED BY recordings_by_content WHERE sha256 = ? AND bytes = ? AND id <> ?
         AND (session_id IS NULL OR service = ?) ORDER BY id`,
      recording.sha256,
      recording.identity.sizeBytes,
      recording.id,
      service,
    ).filter((twin) => this.#siteOf(twin) === this.#siteOf(recording))
  }

  /** Recordings of the same site with the same content whose file vanished after it was fully hashed. */
  vanishedWith(recording: Recording): Recording[] {
    const { id, sha256, identity } = recording
    return this.#all(
      `SELECT * FROM recordings INDEXED BY recordings_by_content
         WHERE state = 'gone' AND sha256 = ? AND bytes = ? AND id <> ?
         AND (SELECT from_state FROM timeline WHERE recording_id = recordings.id AND to_state = 'gone'
              ORDER BY timeline.id DESC LIMIT 1) IN (${placeholders(hashedStates)})`,
      sha256,
      identity.sizeBytes,
      id,
      ...hashedStates,
    ).filter((copy) => this.#siteOf(copy) === this.#siteOf(recording))
  }

  /**
   * The ids of recordings whose hashed file vanished at `sinceMs` or later. Leaves out recordings that were found at
   * `foundBeforeMs` or later.
   */
  vanishedSince(sinceMs: number, { foundBeforeMs }: { readonly foundBeforeMs: number }): number[] {
    return this.#statements
      .of(
        `SELECT id FROM recordings
         WHERE state = 'gone' AND problem_code = 'file-vanished' AND sha256 IS NOT NULL AND found_at < ?
         AND (SELECT at >= ? AND from_state IN (${placeholders(hashedStates)}) FROM timeline
              WHERE recording_id = recordings.id AND to_state = 'gone' ORDER BY timeline.id DESC LIMIT 1)`,
      )
      .pluck()
      .all(foundBeforeMs, sinceMs, ...hashedStates) as number[]
  }

  /** The site with its placeholders filled in. The journal lacks the filled site until Sluice requests a session. */
  #siteOf(recording: Recording): string | null {
    return shownLabels(recording, hostname(), this.#paths).site
  }

  #one(sql: string, ...values: unknown[]): Recording | null {
    const row = this.#statements.of(sql).get(...values)
    return row === undefined ? null : toRecording(row)
  }

  #all(sql: string, ...values: unknown[]): Recording[] {
    return toRecordings(this.#statements.of(sql).all(...values))
  }
}
