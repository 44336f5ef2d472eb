import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import { isWait, type Wait, waitMs, waitSentence } from '../domain/keeping.ts'
import type { ActivityStore } from './activity-store.ts'
import { type Archive, MadeCopies } from './archive-copies.ts'
import type { RecordingStore } from './recording-store.ts'
import { type Recording, toRecordings } from './row.ts'
import { inTransaction, Statements } from './statements.ts'
import { SOONEST_LOOK_MS } from './work-queue.ts'

/**
 * `intended`: nothing of the file was touched. `copied`: a copy that is known to be whole has its place. `aside`: the
 * file has its other name, and the next act takes it away.
 */
export type RemovalStep = 'intended' | 'copied' | 'aside'

export type Removal = {
  readonly recordingId: number
  /** Null for one that only waits. */
  readonly step: RemovalStep | null
  readonly action: 'move' | 'delete'
  readonly aside: string
  readonly target: string | null
  readonly copy: string | null
  /** The copy has its place at the target, by our own hand. */
  readonly placed: boolean
  readonly requestId: string | null
  /** Before its days had passed, for room. */
  readonly early: boolean
  readonly told: boolean
  readonly attempts: number
  readonly waits: Wait | null
}

/** `archive`: where the copy is made. */
export type Intent = Pick<Removal, 'action' | 'aside' | 'target' | 'copy' | 'early'> & {
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
  readonly early: number
  readonly told: number
  readonly attempts: number
  readonly waits: string | null
}

const toRemoval = (row: Row): Removal => ({
  recordingId: row.recording_id,
  step: row.step,
  action: row.action,
  aside: row.aside,
  target: row.target,
  copy: row.copy,
  placed: row.placed !== 0,
  requestId: row.request_id,
  early: row.early !== 0,
  told: row.told !== 0,
  attempts: row.attempts,
  waits: row.waits !== null && isWait(row.waits) ? row.waits : null,
})

const SAFE = `state = 'processed' AND current = 1 AND removed_at IS NULL AND folder_key = ? AND processed_at <= ?
  AND service = ? AND problem_code IS NULL AND paused = 0 AND sha256 IS NOT NULL AND session_id IS NOT NULL`

/** Files that leave this PC after the service has processed them. */
export class RemovalStore {
  readonly copies: MadeCopies
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
    this.copies = new MadeCopies(db)
    this.#statements = new Statements(db)
    this.#now = now
    this.#recordings = stores.recordings
    this.#activity = stores.activity
    this.#paths = paths
  }

  /** Oldest first: of this folder, processed by then in this service. What waits at that moment is left out. */
  due(folder: string, processedByMs: number, service: string, atMs: number, limit: number): Recording[] {
    return toRecordings(
      this.#statements
        .of(
          `SELECT recordings.* FROM recordings INDEXED BY recordings_to_remove
           LEFT JOIN removals ON recording_id = recordings.id
           WHERE ${SAFE} AND COALESCE(removals.next_attempt_at, 0) <= ? AND removals.step IS NULL
           ORDER BY processed_at, recordings.id LIMIT ?`,
        )
        .all(this.#paths.key(folder), processedByMs, service, atMs, limit),
    )
  }

  countDue(folder: string, processedByMs: number, service: string): number {
    const { n } = this.#statements
      .of(
        `SELECT COUNT(*) AS n FROM recordings INDEXED BY recordings_to_remove
         LEFT JOIN removals ON recording_id = recordings.id
         WHERE ${SAFE} AND COALESCE(removals.next_attempt_at, 0) <= ?`,
      )
      .get(this.#paths.key(folder), processedByMs, service, this.#now()) as { readonly n: number }
    return n
  }

  /** The same with those that wait, for a person who wants to see what would go. */
  all(folder: string, processedByMs: number, service: string, limit: number): Recording[] {
    return toRecordings(
      this.#statements
        .of(
          `SELECT * FROM recordings INDEXED BY recordings_to_remove WHERE ${SAFE}
           ORDER BY processed_at, id LIMIT ?`,
        )
        .all(this.#paths.key(folder), processedByMs, service, limit),
    )
  }

  /** How many that are, and when the oldest of those that are not due yet was processed. */
  figures(folder: string, processedByMs: number, service: string) {
    const key = this.#paths.key(folder)
    const sum = this.#statements
      .of(
        `SELECT COUNT(*) AS n, COALESCE(SUM(bytes), 0) AS bytes FROM recordings INDEXED BY recordings_to_remove WHERE ${SAFE}`,
      )
      .get(key, processedByMs, service) as { readonly n: number; readonly bytes: number }
    const next = this.#statements
      .of(
        `SELECT MIN(processed_at) AS at FROM recordings INDEXED BY recordings_to_remove
         WHERE ${SAFE.replace('processed_at <= ?', 'processed_at > ?')}`,
      )
      .get(key, processedByMs, service) as { readonly at: number | null }
    return { count: sum.n, bytes: sum.bytes, nextProcessedAtMs: next.at }
  }

  of(recordingId: number): Removal | null {
    const row = this.#statements.of('SELECT * FROM removals WHERE recording_id = ?').get(recordingId)
    return row === undefined ? null : toRemoval(row as Row)
  }

  /** What a kill, a full disk or an answer that never came left in the middle. */
  underWay(): Removal[] {
    const rows = this.#statements.of('SELECT * FROM removals WHERE step IS NOT NULL').all()
    return (rows as Row[]).map(toRemoval)
  }

  /** Before anything is done to any file. */
  intend(recording: Recording, intent: Intent): void {
    const { action, aside, target, copy, early, archive } = intent
    inTransaction(this.#db, () => {
      const told = this.of(recording.id)?.told ?? false
      if (copy !== null && archive !== undefined) this.copies.note(copy, archive)
      this.#statements
        .of(
          `INSERT INTO removals (recording_id, step, action, aside, target, copy, early, told)
           VALUES (?, 'intended', ?, ?, ?, ?, ?, 1)
           ON CONFLICT DO UPDATE SET step = 'intended', action = excluded.action, aside = excluded.aside,
             placed = placed AND target IS excluded.target, target = excluded.target, copy = excluded.copy,
             early = excluded.early, request_id = NULL, told = 1`,
        )
        .run(recording.id, action, aside, target, copy, Number(early))
      if (!told)
        this.#recordings.remark(
          recording,
          action === 'delete' ? 'about to be deleted from this PC' : `about to be moved to ${target}`,
        )
    })
  }

  advance(recordingId: number, step: RemovalStep, requestId: string | null): void {
    this.#statements
      .of(
        `UPDATE removals SET step = ?, request_id = COALESCE(?, request_id), placed = placed OR ?
         WHERE recording_id = ?`,
      )
      .run(step, requestId, Number(step === 'copied'), recordingId)
  }

  /** The file has left its folder. */
  finish(recording: Recording, removal: Removal): void {
    const movedTo = removal.action === 'move' ? removal.target : null
    const { requestId, early } = removal
    const why = early ? ' early to free up space' : ''
    inTransaction(this.#db, () => {
      this.#statements.of('DELETE FROM removals WHERE recording_id = ?').run(recording.id)
      if (removal.copy !== null) this.copies.forget(removal.copy)
      this.#recordings.removed(recording, movedTo)
      this.#recordings.remark(
        recording,
        movedTo === null ? `deleted from this PC${why}` : `moved to ${movedTo}${why}`,
        requestId,
      )
      const about = { recordingId: recording.id, sessionId: recording.sessionId, requestId }
      if (movedTo === null) this.#activity.note({ kind: 'removed', early }, about)
      else this.#activity.note({ kind: 'moved', early, to: movedTo }, about)
    })
  }

  /** It stays for now. Said once for as long as the reason is the same. */
  wait(recording: Recording, wait: Wait, requestId: string | null = null, untilMs?: number): void {
    inTransaction(this.#db, () => {
      const known = this.of(recording.id)
      this.#statements
        .of(
          `INSERT INTO removals (recording_id, action, aside, attempts, next_attempt_at, waits)
           VALUES (?, 'delete', '', 1, ?, ?)
           ON CONFLICT DO UPDATE SET attempts = attempts + 1, waits = excluded.waits,
             next_attempt_at = excluded.next_attempt_at`,
        )
        .run(recording.id, untilMs ?? this.#now() + waitMs(wait), wait)
      if (known?.waits === wait || wait === 'file-gone' || wait === 'interrupted' || wait === 'other-rules')
        return
      this.#recordings.remark(recording, `stays on this PC: ${waitSentence(wait)}`, requestId)
      this.#activity.note(
        { kind: 'stays', wait },
        { recordingId: recording.id, sessionId: recording.sessionId, requestId },
      )
    })
  }

  /** When one is looked at next that waited at the moment of the last look, at the latest after `mostMs`. */
  lookAgainMs(lookedAtMs: number, mostMs: number): number {
    const next = this.#statements
      .of('SELECT MIN(next_attempt_at) AS at FROM removals WHERE step IS NULL AND next_attempt_at > ?')
      .get(lookedAtMs) as { readonly at: number | null }
    return next.at === null ? mostMs : Math.min(mostMs, Math.max(next.at - this.#now(), SOONEST_LOOK_MS))
  }

  /** Nothing of it is in the middle any more; what was copied stays known. */
  settle(recordingId: number): void {
    this.#statements.of('UPDATE removals SET step = NULL WHERE recording_id = ?').run(recordingId)
  }

  /** Copies that are where they were to go, of files that have not left: other rules may want them elsewhere. */
  placedCopies(): Removal[] {
    const rows = this.#statements.of('SELECT * FROM removals WHERE placed = 1 AND step IS NULL').all()
    return (rows as Row[]).map(toRemoval)
  }

  /** There is no copy any more. */
  forgetCopy(recordingId: number): void {
    this.#statements
      .of('UPDATE removals SET step = NULL, target = NULL, copy = NULL, placed = 0 WHERE recording_id = ?')
      .run(recordingId)
  }

  /** Other rules, another target: what they kept back is looked at again. */
  lookAgain(): void {
    this.#statements.of('UPDATE removals SET next_attempt_at = 0 WHERE next_attempt_at > 0').run()
  }
}
