import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import {
  isReported,
  isWait,
  reportedWaits,
  type Wait,
  waitMs,
  waitSentence,
} from '../domain/removal-rules.ts'
import type { ActivityStore } from './activity-store.ts'
import { type Archive, ArchiveCopies } from './archive-copies.ts'
import type { RecordingStore } from './recording-store.ts'
import { RemovalPolls } from './removal-polls.ts'
import { type Recording, toRecordings } from './row.ts'
import { Statements, transaction } from './statements.ts'
import { MIN_CHECK_INTERVAL_MS } from './work-queue.ts'

/**
 * The stored progress of a removal. `intended`: the file still exists, but may already have its hidden name. `copied`:
 * the same, and a verified copy is at the target. `aside`: the file has its hidden name and is about to be
 * removed.
 */
export type RemovalStep = 'intended' | 'copied' | 'aside'

export type Removal = {
  readonly recordingId: number
  /** Null while the removal has not begun. */
  readonly step: RemovalStep | null
  readonly action: 'move' | 'delete'
  /** The absolute path with the hidden name that the file has during its removal. */
  readonly removalName: string
  readonly target: string | null
  readonly copy: string | null
  /** Whether Sluice has put the copy at its target. */
  readonly placed: boolean
  readonly requestId: string | null
  /** The inode of the folder that contained the hidden file at the step `aside`; null if unknown. */
  readonly asideFolder: string | null
  /** True if Sluice removes the file before its retention days have passed, to free space. */
  readonly early: boolean
  /** Whether the timeline already mentions the removal. */
  readonly announced: boolean
  readonly attempts: number
  readonly waits: Wait | null
}

/** The plan of a removal. `archive`: the folder that gets the copy. */
export type Intent = Pick<Removal, 'action' | 'removalName' | 'target' | 'copy' | 'early'> & {
  readonly archive?: Archive
}

type Row = {
  readonly recording_id: number
  readonly step: RemovalStep | null
  readonly action: 'move' | 'delete'
  readonly aside: string
  readonly target: string | null
  readonly copy: string | null
  readonly placed: number
  readonly request_id: string | null
  readonly aside_folder: string | null
  readonly early: number
  readonly told: number
  readonly attempts: number
  readonly waits: string | null
}

const toRemoval = (row: Row): Removal => ({
  recordingId: row.recording_id,
  step: row.step,
  action: row.action,
  removalName: row.aside,
  target: row.target,
  copy: row.copy,
  placed: row.placed !== 0,
  requestId: row.request_id,
  asideFolder: row.aside_folder,
  early: row.early !== 0,
  announced: row.told !== 0,
  attempts: row.attempts,
  waits: row.waits !== null && isWait(row.waits) ? row.waits : null,
})

const SAFE_SQL = `state = 'processed' AND current = 1 AND removed_at IS NULL AND folder_key = ? AND processed_at <= ?
  AND service = ? AND problem_code IS NULL AND paused = 0 AND sha256 IS NOT NULL AND session_id IS NOT NULL
  AND test_key = 0`

/**
 * Sluice removes the files of a take only once every file is safe and the last processed file has been kept long
 * enough. Safe: processed, with a session and a SHA-256, without a problem, not paused, uploaded without a test key.
 * Ignores files that never become safe: dismissed files, and failed or gone files without a problem.
 */
const TAKE_SAFE_SQL = `(take IS NULL OR (
    NOT EXISTS (SELECT 1 FROM recordings AS member INDEXED BY recordings_unsafe_in_take
      WHERE member.take = recordings.take AND member.current = 1
      AND (member.state <> 'processed' OR member.problem_code IS NOT NULL OR member.paused = 1 OR member.test_key = 1
        OR member.sha256 IS NULL OR member.session_id IS NULL)
      AND COALESCE(member.ends_by, '') <> 'dismissed'
      AND NOT (member.state IN ('failed', 'gone') AND member.problem_code IS NULL))
    AND (SELECT MAX(member.processed_at) FROM recordings AS member INDEXED BY recordings_processed_in_take
      WHERE member.take = recordings.take AND member.current = 1) <= ?))`

/**
 * Selects processed files that stay for a reported reason. A reason expires one day after its wait ends, or when
 * `retryHeld` ends all waits. While the removal of the file is in progress, the reason does not expire.
 */
const STAYS_SQL = `recordings.current = 1 AND recordings.state = 'processed' AND recordings.removed_at IS NULL
  AND (removals.next_attempt_at > ? OR removals.step IS NOT NULL)
  AND removals.waits IN (${reportedWaits.map((wait) => `'${wait}'`).join(', ')})`

const OUTDATED_AFTER_MS = 24 * 3_600_000

/** Files that stay for the same reason. `newest`: the name of the file that was processed last. */
export type StayingFiles = { readonly wait: Wait; readonly count: number; readonly newest: string }

/** Files that Sluice moves or deletes after the service has processed them. */
export class RemovalStore {
  readonly copies: ArchiveCopies
  readonly polls: RemovalPolls
  readonly #statements: Statements
  readonly #db: Database
  readonly #now: () => number
  readonly #recordings: RecordingStore
  readonly #activity: ActivityStore
  readonly #paths: Paths

  constructor(
    db: Database,
    now: () => number,
    stores: { readonly recordings: RecordingStore; readonly activity: ActivityStore },
    paths: Paths,
  ) {
    this.#db = db
    this.copies = new ArchiveCopies(db)
    this.polls = new RemovalPolls(db)
    this.#statements = new Statements(db)
    this.#now = now
    this.#recordings = stores.recordings
    this.#activity = stores.activity
    this.#paths = paths
  }

  /**
   * Recordings of this folder that Sluice may remove, oldest first. This service processed them at or before
   * `processedByMs`. Leaves out recordings whose removal is in progress or still waits at `atMs`.
   */
  due(folder: string, processedByMs: number, service: string, atMs: number, limit: number): Recording[] {
    return toRecordings(
      this.#statements
        .of(
          `SELECT recordings.* FROM recordings INDEXED BY recordings_to_remove
           LEFT JOIN removals ON recording_id = recordings.id
           WHERE ${SAFE_SQL} AND ${TAKE_SAFE_SQL} AND COALESCE(removals.next_attempt_at, 0) <= ?
             AND removals.step IS NULL
           ORDER BY processed_at, recordings.id LIMIT ?`,
        )
        .all(this.#paths.key(folder), processedByMs, service, processedByMs, atMs, limit),
    )
  }

  countDue(folder: string, processedByMs: number, service: string): number {
    const { n } = this.#statements
      .of(
        `SELECT COUNT(*) AS n FROM recordings INDEXED BY recordings_to_remove
         LEFT JOIN removals ON recording_id = recordings.id
         WHERE ${SAFE_SQL} AND ${TAKE_SAFE_SQL} AND COALESCE(removals.next_attempt_at, 0) <= ?`,
      )
      .get(this.#paths.key(folder), processedByMs, service, processedByMs, this.#now()) as {
      readonly n: number
    }
    return n
  }

  /** Like `due`, but includes recordings whose removal is in progress or waits. The preview uses this method. */
  all(folder: string, processedByMs: number, service: string, limit: number): Recording[] {
    return toRecordings(
      this.#statements
        .of(
          `SELECT * FROM recordings INDEXED BY recordings_to_remove
           WHERE ${SAFE_SQL} AND ${TAKE_SAFE_SQL} ORDER BY processed_at, id LIMIT ?`,
        )
        .all(this.#paths.key(folder), processedByMs, service, processedByMs, limit),
    )
  }

  /**
   * The count and bytes of the recordings that `all` would return without a limit. `nextProcessedAtMs`: the first time
   * after `processedByMs` at which the service processed a safe recording.
   */
  figures(folder: string, processedByMs: number, service: string) {
    const key = this.#paths.key(folder)
    const sum = this.#statements
      .of(
        `SELECT COUNT(*) AS n, COALESCE(SUM(bytes), 0) AS bytes FROM recordings INDEXED BY recordings_to_remove
         WHERE ${SAFE_SQL} AND ${TAKE_SAFE_SQL}`,
      )
      .get(key, processedByMs, service, processedByMs) as { readonly n: number; readonly bytes: number }
    const later = this.#statements
      .of(
        `SELECT MIN(processed_at) AS at FROM recordings INDEXED BY recordings_to_remove
         WHERE ${SAFE_SQL.replace('processed_at <= ?', 'processed_at > ?')}`,
      )
      .get(key, processedByMs, service) as { readonly at: number | null }
    return { count: sum.n, bytes: sum.bytes, nextProcessedAtMs: later.at }
  }

  /**
   * The number of recordings that would be safe if they had not been uploaded with a test key. Ignores the other files
   * of their takes.
   */
  underTestKey(folder: string, processedByMs: number, service: string): number {
    const { n } = this.#statements
      .of(
        `SELECT COUNT(*) AS n FROM recordings INDEXED BY recordings_to_remove
         WHERE ${SAFE_SQL.replace('test_key = 0', 'test_key = 1')}`,
      )
      .get(this.#paths.key(folder), processedByMs, service) as { readonly n: number }
    return n
  }

  of(recordingId: number): Removal | null {
    const row = this.#statements.of('SELECT * FROM removals WHERE recording_id = ?').get(recordingId)
    return row === undefined ? null : toRemoval(row as Row)
  }

  /** The files that are due but stay, by reason. */
  staying(): readonly StayingFiles[] {
    return this.#statements
      .of(
        // CROSS JOIN: reads the few removals first. Otherwise SQLite would read every processed recording.
        `SELECT waits AS wait, COUNT(*) AS count, name AS newest, MAX(processed_at) FROM removals
         CROSS JOIN recordings ON recordings.id = recording_id WHERE ${STAYS_SQL} GROUP BY waits ORDER BY waits`,
      )
      .all(this.#outdatedMs)
      .map((row) => {
        const { wait, count, newest } = row as StayingFiles
        return { wait, count, newest }
      })
  }

  get #outdatedMs(): number {
    return Math.max(0, this.#now() - OUTDATED_AFTER_MS)
  }

  /** Why a due file stays. Null if the file is not due or not checked yet, or if Sluice does not report the reason. */
  whyStays(recordingId: number): Wait | null {
    const row = this.#statements
      .of(
        `SELECT waits FROM removals JOIN recordings ON recordings.id = recording_id
         WHERE recording_id = ? AND ${STAYS_SQL}`,
      )
      .get(recordingId, this.#outdatedMs) as { readonly waits: Wait } | undefined
    return row?.waits ?? null
  }

  /** Removals that have begun but not ended. A crash, a full disk or a missing answer may have interrupted them. */
  underWay(): Removal[] {
    const rows = this.#statements.of('SELECT * FROM removals WHERE step IS NOT NULL').all()
    return (rows as Row[]).map(toRemoval)
  }

  /**
   * Removals whose file may have a hidden name. Includes undone removals: if the file's subfolder was missing when
   * Sluice undid the removal, the file may still have its hidden name.
   */
  withHiddenName(): Removal[] {
    const rows = this.#statements.of("SELECT * FROM removals WHERE aside <> ''").all()
    return (rows as Row[]).map(toRemoval)
  }

  /** Records the intent before any file is touched. */
  intend(recording: Recording, intent: Intent): void {
    const { action, removalName, target, copy, early, archive } = intent
    transaction(this.#db, () => {
      const isAnnounced = this.of(recording.id)?.announced ?? false
      if (copy !== null && archive !== undefined) this.copies.note(copy, archive)
      this.#statements
        .of(
          `INSERT INTO removals (recording_id, step, action, aside, target, copy, early, told)
           VALUES (?, 'intended', ?, ?, ?, ?, ?, 1)
           ON CONFLICT DO UPDATE SET step = 'intended', action = excluded.action, aside = excluded.aside,
             placed = placed AND target IS excluded.target, target = excluded.target, copy = excluded.copy,
             early = excluded.early, request_id = NULL, aside_folder = NULL, told = 1`,
        )
        .run(recording.id, action, removalName, target, copy, Number(early))
      if (!isAnnounced)
        this.#recordings.remark(
          recording,
          action === 'delete' ? 'about to be deleted from this PC' : `about to be moved to ${target}`,
        )
    })
  }

  advance(
    recordingId: number,
    step: RemovalStep,
    requestId: string | null,
    asideFolder: string | null = null,
  ): void {
    this.#statements
      .of(
        `UPDATE removals SET step = ?, request_id = COALESCE(?, request_id), placed = placed OR ?, aside_folder = ?
         WHERE recording_id = ?`,
      )
      .run(step, requestId, Number(step === 'copied'), asideFolder, recordingId)
  }

  /** Records that the file has left its folder. */
  finish(recording: Recording, removal: Removal): void {
    const movedTo = removal.action === 'move' ? removal.target : null
    const { requestId, early } = removal
    const earlyWords = early ? ' early to free up space' : ''
    transaction(this.#db, () => {
      this.#statements.of('DELETE FROM removals WHERE recording_id = ?').run(recording.id)
      if (removal.copy !== null) this.copies.forget(removal.copy)
      this.#recordings.markRemoved(recording, movedTo)
      this.#recordings.remark(
        recording,
        movedTo === null ? `deleted from this PC${earlyWords}` : `moved to ${movedTo}${earlyWords}`,
        requestId,
      )
      const about = { recordingId: recording.id, sessionId: recording.sessionId, requestId }
      if (movedTo === null) this.#activity.note({ kind: 'removed', early }, about)
      else this.#activity.note({ kind: 'moved', early, to: movedTo }, about)
    })
  }

  /**
   * Records that the file stays for now. If the reason is new and `isReported`, also adds it to the timeline and the
   * activity list.
   */
  wait(recording: Recording, wait: Wait, requestId: string | null = null, untilMs?: number): void {
    transaction(this.#db, () => {
      const earlier = this.of(recording.id)
      this.#statements
        .of(
          `INSERT INTO removals (recording_id, action, aside, attempts, next_attempt_at, waits)
           VALUES (?, 'delete', '', 1, ?, ?)
           ON CONFLICT DO UPDATE SET attempts = attempts + 1, waits = excluded.waits,
             next_attempt_at = excluded.next_attempt_at`,
        )
        .run(recording.id, untilMs ?? this.#now() + waitMs(wait), wait)
      if (earlier?.waits === wait || !isReported(wait)) return
      this.#recordings.remark(recording, `stays on this PC: ${waitSentence(wait)}`, requestId)
      this.#activity.note(
        { kind: 'not-removed', wait },
        { recordingId: recording.id, sessionId: recording.sessionId, requestId },
      )
    })
  }

  /**
   * How long the `Remover` stage may sleep: until the next wait ends, at most `maxMs`. Waits that were over at
   * `checkedAtMs` do not count.
   */
  nextCheckMs(checkedAtMs: number, maxMs: number): number {
    const nextWait = this.#statements
      .of('SELECT MIN(next_attempt_at) AS at FROM removals WHERE step IS NULL AND next_attempt_at > ?')
      .get(checkedAtMs) as { readonly at: number | null }
    return nextWait.at === null
      ? maxMs
      : Math.min(maxMs, Math.max(nextWait.at - this.#now(), MIN_CHECK_INTERVAL_MS))
  }

  /** Marks a removal as no longer in progress. The journal keeps the path of a finished copy. */
  settle(recordingId: number): void {
    this.#statements.of('UPDATE removals SET step = NULL WHERE recording_id = ?').run(recordingId)
  }

  /**
   * Removals that are not in progress, but have a finished copy. Sluice removes the copy if the rules of the file's
   * folder no longer move files to that target.
   */
  placedCopies(): Removal[] {
    const rows = this.#statements.of('SELECT * FROM removals WHERE placed = 1 AND step IS NULL').all()
    return (rows as Row[]).map(toRemoval)
  }

  /** Call when the copy is gone, or when Sluice no longer treats it as its own. Also ends a removal in progress. */
  forgetCopy(recordingId: number): void {
    this.#statements
      .of('UPDATE removals SET step = NULL, target = NULL, copy = NULL, placed = 0 WHERE recording_id = ?')
      .run(recordingId)
  }

  /** Ends all waits. Call after the settings or the API key changed. */
  retryHeld(): void {
    this.#statements.of('UPDATE removals SET next_attempt_at = 0 WHERE next_attempt_at > 0').run()
  }
}
