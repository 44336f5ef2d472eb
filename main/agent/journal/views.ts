import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import { nightParts, partOf } from '../../../shared/status/night-parts.ts'
import { quarterOf } from '../../../shared/status/nights.ts'
import type { Problem, ProblemCode } from '../../../shared/status/problem.ts'
import { standings } from '../../../shared/status/standing.ts'
import type {
  MorningReport,
  ProblemGroup,
  RecordingState,
  TimelineEntry,
} from '../../../shared/status/status.ts'
import { recordingStates } from '../../../shared/status/status.ts'
import { type StandingContext, standingOf } from '../domain/standing.ts'
import { Figures, type StandingFactsRow, standingFactsOf, sumBy, type TallyRow, toTally } from './figures.ts'
import { inFolders, withQueuedUploads } from './queued-uploads.ts'
import { type Recording, toRecordings } from './row.ts'
import { Statements } from './statements.ts'

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

export type LocalCopy = {
  readonly id: number
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly sessionId: string | null
}

const LOCAL_COPIES = `SELECT id, COALESCE(moved_to, path) AS path, bytes, sha256, session_id AS sessionId
  FROM recordings WHERE state = 'processed' AND current = 1 AND sha256 IS NOT NULL
    AND (removed_at IS NULL OR moved_to IS NOT NULL)`

const MAX_EXAMPLES = 3
/** The list of sites reads only this many of the newest rows: old sites are rarely needed. */
const ROWS_FOR_SITES = 20_000
const MAX_SITES = 100

/** Read-only queries, mostly for the window and the terminal. */
export class Views {
  readonly #db: Database
  readonly #paths: Paths
  readonly #statements: Statements

  constructor(db: Database, paths: Paths) {
    this.#db = db
    this.#paths = paths
    this.#statements = new Statements(db)
  }

  everything(): Recording[] {
    return toRecordings(this.#db.prepare('SELECT * FROM recordings ORDER BY found_at, id').all())
  }

  figures(context: StandingContext): Figures {
    const rows = this.#statements.of('SELECT * FROM tallies WHERE recordings > 0').all() as TallyRow[]
    return new Figures(rows.map(toTally), context, this.#paths.key, (counts, folders) =>
      withQueuedUploads(counts, this.#db, context, folders === undefined ? [] : [inFolders(folders)]),
    )
  }

  /** The sites of the newest recordings, most recently used first. */
  sites(): readonly string[] {
    return this.#statements
      .of(
        `SELECT site FROM (SELECT site, found_at FROM recordings ORDER BY found_at DESC LIMIT ${ROWS_FOR_SITES})
         GROUP BY site ORDER BY MAX(found_at) DESC LIMIT ${MAX_SITES}`,
      )
      .pluck()
      .all() as string[]
  }

  counts(): Record<RecordingState, number> {
    return this.figures({ service: null, sending: false }).counts()
  }

  bytesLeft(): number {
    return this.figures({ service: null, sending: false }).bytesLeft()
  }

  /**
   * Recordings found since `sinceMs`, by standing. Sums quarter-hour tallies, because reading the rows for each
   * snapshot would be slow.
   */
  report(sinceMs: number, context: StandingContext): MorningReport {
    const groups = this.#statements
      .of(
        `SELECT state, ends_by, service, paused, SUM(recordings) AS n, SUM(bytes) AS bytes
         FROM night_tallies WHERE quarter >= ? GROUP BY state, ends_by, service, paused HAVING n > 0`,
      )
      .all(quarterOf(sinceMs)) as (StandingFactsRow & { readonly n: number; readonly bytes: number })[]
    const sum = (numberOf: (group: (typeof groups)[number]) => number) =>
      groups.reduce((all, group) => all + numberOf(group), 0)
    return {
      since: new Date(sinceMs).toISOString(),
      recorded: sum(({ n }) => n),
      bytes: sum(({ bytes }) => bytes),
      standings: withQueuedUploads(
        sumBy(
          standings,
          groups,
          (group) => standingOf(standingFactsOf(group), context),
          ({ n }) => n,
        ),
        this.#db,
        context,
        [{ sql: 'found_at >= ?', values: [sinceMs] }],
      ),
      partBytes: sumBy(
        nightParts,
        groups,
        (group) => partOf(standingOf(standingFactsOf(group), context)),
        ({ bytes }) => bytes,
      ),
      sentBytes: this.#sentBytes(sinceMs),
    }
  }

  /**
   * The bytes that unfinished uploads have sent so far. Counts only recordings found since `sinceMs`. Ignores uploads
   * that need attention, were dismissed, or belong to a removed folder.
   */
  #sentBytes(sinceMs: number): number {
    return this.#statements
      .of(
        `SELECT COALESCE(SUM(bytes_sent), 0) FROM recordings
         WHERE state = 'uploading' AND found_at >= ? AND (ends_by IS NULL OR ends_by = 'time')`,
      )
      .pluck()
      .get(sinceMs) as number
  }

  /** Local files of processed recordings, at their original path or at the path that Sluice moved them to. */
  localCopies(): LocalCopy[] {
    return this.#statements.of(`${LOCAL_COPIES} ORDER BY path`).all() as LocalCopy[]
  }

  /** Null if the recording is not processed or was replaced, or if Sluice deleted its file. */
  localCopy(id: number): LocalCopy | null {
    return (this.#statements.of(`${LOCAL_COPIES} AND id = ?`).get(id) as LocalCopy | undefined) ?? null
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

  /** Uses one index lookup per state: a query over all rows of a folder would be slow. */
  lastFoundAtMs(folder: string): number | null {
    const key = this.#paths.key(folder)
    const newest = this.#statements.of(
      'SELECT MAX(found_at) AS at FROM recordings WHERE folder_key = ? AND state = ?',
    )
    const times = recordingStates.flatMap(
      (state) => (newest.get(key, state) as { at: number | null }).at ?? [],
    )
    return times.length === 0 ? null : Math.max(...times)
  }

  /**
   * When Sluice found the oldest recording in these states. Ignores dismissed recordings and recordings of removed
   * folders. Uses one index lookup per folder and state.
   */
  oldestFoundAtMs(states: readonly RecordingState[]): number | null {
    const oldest = this.#statements
      .of(
        `SELECT found_at FROM recordings
         WHERE folder_key = ? AND state = ? AND COALESCE(ends_by, '') NOT IN ('folder', 'dismissed')
         ORDER BY found_at LIMIT 1`,
      )
      .pluck()
    const groups = this.#statements
      .of(
        "SELECT DISTINCT folder_key, state FROM tallies WHERE recordings > 0 AND ends_by NOT IN ('folder', 'dismissed')",
      )
      .all() as { folder_key: string; state: RecordingState }[]
    const times = groups
      .filter(({ state }) => states.includes(state))
      .flatMap(({ folder_key, state }) => (oldest.get(folder_key, state) as number | undefined) ?? [])
    return times.length === 0 ? null : Math.min(...times)
  }

  /**
   * One group per kind of problem. A problem that did not clear by itself in time keeps its code but gets a separate
   * group, because it now needs attention.
   */
  problems(): ProblemGroup[] {
    const groups = this.#statements
      .of(
        `SELECT problem_code AS code, ends_by = 'time' AS clears, SUM(recordings) AS n FROM tallies
         WHERE problem_code <> '' AND ends_by <> 'dismissed' AND recordings > 0 GROUP BY 1, 2 ORDER BY n DESC, code, clears`,
      )
      .all() as { code: ProblemCode; clears: number; n: number }[]
    const newest = this.#statements.of(
      `SELECT id, name, problem FROM recordings WHERE problem_code = ? AND (ends_by = 'time') = ? AND ends_by <> 'dismissed'
       ORDER BY id DESC LIMIT ?`,
    )
    return groups.flatMap(({ code, clears, n }) => {
      const rows = newest.all(code, clears, MAX_EXAMPLES) as { id: number; name: string; problem: string }[]
      const [first] = rows
      if (first === undefined) return []
      const examples = rows.map(({ id, name }) => ({ id, name }))
      return [{ problem: JSON.parse(first.problem) as Problem, count: n, examples }]
    })
  }

  withProblem(): Recording[] {
    return toRecordings(
      this.#statements.of('SELECT * FROM recordings WHERE problem_code IS NOT NULL ORDER BY id').all(),
    )
  }

  /** Recordings at this path that have a problem, and whose content was replaced. */
  supersededWithProblem(file: string): Recording[] {
    return toRecordings(
      this.#statements
        .of(
          'SELECT * FROM recordings WHERE problem_code IS NOT NULL AND path = ? AND current = 0 ORDER BY id',
        )
        .all(file),
    )
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

  /** The newest timeline entries with a request id of the service. */
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

  /** How often the recording went from one state to another since `fromMs`. */
  countSteps(
    recordingId: number,
    {
      from,
      to,
      fromMs,
    }: { readonly from: RecordingState; readonly to: RecordingState; readonly fromMs: number },
  ): number {
    return this.#statements
      .of(
        'SELECT COUNT(*) FROM timeline WHERE recording_id = ? AND from_state = ? AND to_state = ? AND at >= ?',
      )
      .pluck()
      .get(recordingId, from, to, fromMs) as number
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
