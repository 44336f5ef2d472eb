import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Problem, ProblemGroup, RecordingState, TimelineEntry } from '../../../shared/status.ts'
import { recordingStates } from '../../../shared/status.ts'
import { liveStates } from '../domain/states.ts'
import { type Recording, toRecordings } from './row.ts'

type TimelineRow = {
  readonly at: number
  readonly from_state: RecordingState | null
  readonly to_state: RecordingState
  readonly reason: string
  readonly request_id: string | null
}

const toEntry = (row: TimelineRow): TimelineEntry => ({
  at: new Date(row.at).toISOString(),
  from: row.from_state,
  to: row.to_state,
  reason: row.reason,
  requestId: row.request_id,
})

/** Read-only questions that people ask. */
export class Views {
  readonly #db: Database
  readonly #paths: Paths

  constructor(db: Database, paths: Paths) {
    this.#db = db
    this.#paths = paths
  }

  everything(): Recording[] {
    return toRecordings(this.#db.prepare('SELECT * FROM recordings ORDER BY found_at, id').all())
  }

  counts(): Record<RecordingState, number> {
    const counts = Object.fromEntries(recordingStates.map((state) => [state, 0])) as Record<
      RecordingState,
      number
    >
    const rows = this.#db.prepare('SELECT state, COUNT(*) AS n FROM recordings GROUP BY state').all() as {
      state: RecordingState
      n: number
    }[]
    for (const row of rows) counts[row.state] = row.n
    return counts
  }

  bytesLeft(): number {
    const row = this.#db
      .prepare(
        `SELECT COALESCE(SUM(bytes - bytes_sent), 0) AS n FROM recordings
         WHERE state IN ('growing', 'queued', 'hashing', 'ready', 'uploading')`,
      )
      .get() as { n: number }
    return row.n
  }

  recent(limit: number): Recording[] {
    return toRecordings(
      this.#db.prepare('SELECT * FROM recordings ORDER BY found_at DESC, id DESC LIMIT ?').all(limit),
    )
  }

  lastProcessedAtMs(): number | null {
    const row = this.#db.prepare("SELECT MAX(at) AS at FROM timeline WHERE to_state = 'processed'").get() as {
      at: number | null
    }
    return row.at
  }

  folder(path: string): {
    readonly recordings: number
    readonly waiting: number
    readonly lastFoundAtMs: number | null
  } {
    const row = this.#db
      .prepare(
        `SELECT COUNT(*) AS recordings,
                COALESCE(SUM(state IN (${liveStates.map((state) => `'${state}'`).join(', ')})), 0) AS waiting,
                MAX(found_at) AS last
         FROM recordings WHERE folder_key = ?`,
      )
      .get(this.#paths.key(path)) as { recordings: number; waiting: number; last: number | null }
    return { recordings: row.recordings, waiting: row.waiting, lastFoundAtMs: row.last }
  }

  /** What waiting alone does not mend. A dismissed recording keeps its state but loses its problem. */
  needPerson(): number {
    const row = this.#db
      .prepare(
        `SELECT COUNT(*) AS n FROM recordings
         WHERE ends_by IS NOT NULL AND ends_by <> 'time'`,
      )
      .get() as { n: number }
    return row.n
  }

  /** One card per kind of problem, however many recordings have it. */
  problems(): ProblemGroup[] {
    const groups = this.#db
      .prepare(
        `SELECT problem_code AS code, COUNT(*) AS n, MAX(id) AS id FROM recordings
         WHERE problem_code IS NOT NULL GROUP BY problem_code ORDER BY n DESC`,
      )
      .all() as { code: string; n: number; id: number }[]
    const example = this.#db.prepare(
      'SELECT id, name FROM recordings WHERE problem_code = ? ORDER BY changed_at DESC LIMIT 3',
    )
    const problem = this.#db.prepare('SELECT problem FROM recordings WHERE id = ?')
    return groups.map((group) => ({
      problem: JSON.parse((problem.get(group.id) as { problem: string }).problem) as Problem,
      count: group.n,
      examples: example.all(group.code) as { id: number; name: string }[],
    }))
  }

  newestProblems(limit: number): Recording[] {
    return toRecordings(
      this.#db
        .prepare(
          `SELECT * FROM recordings WHERE problem_code IS NOT NULL
           ORDER BY changed_at DESC, id DESC LIMIT ?`,
        )
        .all(limit),
    )
  }

  /** The newest entries that the service gave a request id for. */
  newestRequests(limit: number): (TimelineEntry & { readonly path: string })[] {
    const rows = this.#db
      .prepare(
        `SELECT at, from_state, to_state, reason, request_id, path
         FROM timeline JOIN recordings ON recordings.id = recording_id
         WHERE request_id IS NOT NULL ORDER BY timeline.id DESC LIMIT ?`,
      )
      .all(limit) as (TimelineRow & { path: string })[]
    return rows.map((row) => ({ ...toEntry(row), path: row.path }))
  }

  /** How many recordings reached each of these states since then, each counted once. */
  reachedSince(sinceMs: number, states: readonly RecordingState[]): number {
    const row = this.#db
      .prepare(
        `SELECT COUNT(DISTINCT recording_id) AS n FROM timeline
         WHERE at >= ? AND to_state IN (${states.map(() => '?').join(', ')}) AND from_state IS NOT to_state`,
      )
      .get(sinceMs, ...states) as { n: number }
    return row.n
  }

  foundSince(sinceMs: number): number {
    const row = this.#db.prepare('SELECT COUNT(*) AS n FROM recordings WHERE found_at >= ?').get(sinceMs) as {
      n: number
    }
    return row.n
  }

  timeline(recordingId: number): TimelineEntry[] {
    const rows = this.#db
      .prepare(
        'SELECT at, from_state, to_state, reason, request_id FROM timeline WHERE recording_id = ? ORDER BY id',
      )
      .all(recordingId) as TimelineRow[]
    return rows.map(toEntry)
  }
}
