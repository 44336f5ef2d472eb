import type { Database } from 'better-sqlite3'
import type { ActivityGroup } from '../../../shared/status/activity.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import {
  type Activity,
  type ActivityNote,
  kindsIn,
  type StateBeforeDismissal,
  stepOf,
} from '../domain/activity.ts'
import { placeholders, Statements } from './statements.ts'

/**
 * Notes about recordings and notes about the station each have this limit. So thousands of notes about recordings do
 * not push out those about the station.
 */
const MAX_NOTES = 10_000
const KEEP_MS = 90 * 86_400_000
const PRUNE_EVERY_NOTES = 100

export type NoteContext = {
  readonly recordingId?: number
  readonly sessionId?: string | null
  readonly requestId?: string | null
  /** The time of the event, if it happened before this note. */
  readonly atMs?: number
}

/** Receives each note for the program log. */
export type NoteListener = (kind: Activity['kind'], facts: ActivityNote, context: NoteContext) => void

export type ActivityRow = {
  readonly position: ActivityPosition
  readonly activity: Activity
  readonly recordingId: number | null
  readonly name: string | null
  readonly bytes: number | null
  readonly sessionId: string | null
  readonly requestId: string | null
}

/** Sort key of an entry. The source is the timeline (0) or the notes (1). */
export type ActivityPosition = { readonly atMs: number; readonly source: 0 | 1; readonly id: number }

export type ActivityQuery = {
  /** An empty list means all groups. */
  readonly groups: readonly ActivityGroup[]
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly before: ActivityPosition | null
  readonly limit: number
}

type JoinedRow = {
  readonly id: number
  readonly at: number
  readonly recording_id: number | null
  readonly request_id: string | null
  readonly session_id: string | null
  readonly name: string | null
  readonly bytes: number | null
}
type StepRow = JoinedRow & {
  readonly from_state: RecordingState | null
  readonly to_state: RecordingState
  readonly reason: string
  readonly state: RecordingState
  readonly problem: string | null
}
type NoteRow = JoinedRow & { readonly kind: string; readonly facts: string }

/**
 * SQLite uses the partial indexes `timeline_told` and `timeline_trouble` only if these conditions match the conditions
 * of the indexes word for word.
 */
const SHOWN_SQL = `(from_state IS NULL OR (from_state <> to_state AND (to_state IN ('processing', 'processed', 'failed', 'gone')
  OR from_state IN ('gone', 'failed', 'uploading', 'completing') AND to_state IN ('growing', 'queued', 'ready'))))`
const TROUBLE_SQL = `(from_state <> to_state AND (to_state IN ('failed', 'gone')
  OR from_state IN ('uploading', 'completing') AND to_state IN ('growing', 'queued', 'ready')))`

const newestFirst = (a: ActivityPosition, b: ActivityPosition): number =>
  b.atMs - a.atMs || b.source - a.source || b.id - a.id

/**
 * The activity list, newest first. It merges the timelines of the recordings with notes about events that change no
 * state.
 */
export class ActivityStore {
  readonly #statements: Statements
  readonly #now: () => number
  readonly #onNote: NoteListener

  constructor(db: Database, now: () => number, onNote: NoteListener) {
    this.#statements = new Statements(db)
    this.#now = now
    this.#onNote = onNote
  }

  note(note: ActivityNote, context: NoteContext = {}): void {
    const { kind, ...facts } = note
    const { lastInsertRowid } = this.#statements
      .of(
        `INSERT INTO activity (at, kind, facts, recording_id, session_id, request_id) VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(
        context.atMs ?? this.#now(),
        kind,
        JSON.stringify(facts),
        context.recordingId ?? null,
        context.sessionId ?? null,
        context.requestId ?? null,
      )
    if (Number(lastInsertRowid) % PRUNE_EVERY_NOTES === 0) this.#prune()
    this.#onNote(kind, note, context)
  }

  read(query: ActivityQuery): ActivityRow[] {
    return [...this.#steps(query), ...this.#notes(query)]
      .sort((a, b) => newestFirst(a.position, b.position))
      .slice(0, query.limit)
  }

  /** The state and problem before the last dismissal; null if the note of that dismissal is gone. */
  dismissalOf(recordingId: number): StateBeforeDismissal | null {
    const row = this.#statements
      .of("SELECT facts FROM activity WHERE recording_id = ? AND kind = 'dismissed' ORDER BY id DESC LIMIT 1")
      .get(recordingId) as { facts: string } | undefined
    return row === undefined
      ? null
      : ((JSON.parse(row.facts) as { dismissed?: StateBeforeDismissal }).dismissed ?? null)
  }

  dismissedIds(): readonly number[] {
    return this.#statements
      .of(
        "SELECT DISTINCT recording_id FROM activity WHERE kind = 'dismissed' AND recording_id IS NOT NULL ORDER BY 1",
      )
      .pluck()
      .all() as number[]
  }

  /** The time of the newest entry, including timeline lines that the list does not show. */
  lastAtMs(): number | null {
    const row = this.#statements
      .of(
        `SELECT MAX(at) AS at FROM (SELECT MAX(at) AS at FROM timeline UNION ALL SELECT MAX(at) FROM activity)`,
      )
      .get() as { at: number | null }
    return row.at
  }

  /** A value saved by `remember`, to detect changes across restarts. */
  recall<T>(key: string): T | null {
    const row = this.#statements.of('SELECT value FROM station WHERE key = ?').get(`told_${key}`) as
      | { value: string }
      | undefined
    return row === undefined ? null : (JSON.parse(row.value) as T)
  }

  remember(key: string, value: unknown): void {
    if (value === null) this.#statements.of('DELETE FROM station WHERE key = ?').run(`told_${key}`)
    else
      this.#statements
        .of(
          'INSERT INTO station (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        )
        .run(`told_${key}`, JSON.stringify(value))
  }

  #steps(query: ActivityQuery): ActivityRow[] {
    const allGroups = query.groups.length === 0
    const [wantsRecordings, wantsTrouble] = [
      query.groups.includes('recordings'),
      query.groups.includes('trouble'),
    ]
    if (!allGroups && !wantsRecordings && !wantsTrouble) return []
    const source =
      wantsTrouble && !wantsRecordings
        ? `timeline_trouble WHERE ${TROUBLE_SQL}`
        : `timeline_told WHERE ${SHOWN_SQL}${wantsRecordings && !wantsTrouble ? ` AND ${TROUBLE_SQL} IS NOT TRUE` : ''}`
    const rows = this.#statements
      .of(
        `SELECT t.id, t.at, t.recording_id, t.request_id, from_state, to_state, reason,
                r.session_id, r.name, r.bytes, r.state, r.problem
         FROM (SELECT * FROM timeline INDEXED BY ${source}
               AND (at, id) < (@at, @id) AND at >= @from
               ORDER BY at DESC, id DESC LIMIT @limit) t
         JOIN recordings r ON r.id = t.recording_id`,
      )
      .all(this.#bounds(query, 0)) as StepRow[]
    return rows.flatMap((row) => {
      // The problem belongs to this step only if the recording is still in the state that the step led to.
      const problem =
        row.problem !== null && row.state === row.to_state ? (JSON.parse(row.problem) as Problem) : null
      const activity = stepOf(row.from_state, row.to_state, row.reason, problem)
      return activity === null ? [] : [this.#rowOf(row, 0, activity)]
    })
  }

  #notes(query: ActivityQuery): ActivityRow[] {
    const kinds = query.groups.length === 0 ? null : kindsIn(query.groups)
    const kindSql = kinds === null ? '' : ` AND kind IN (${placeholders(kinds)})`
    const rows = this.#statements
      .of(
        `SELECT a.id, a.at, a.recording_id, a.request_id, kind, facts,
                COALESCE(a.session_id, r.session_id) AS session_id, r.name, r.bytes
         FROM (SELECT * FROM activity WHERE (at, id) < (@at, @id) AND at >= @from${kindSql}
               ORDER BY at DESC, id DESC LIMIT @limit) a
         LEFT JOIN recordings r ON r.id = a.recording_id`,
      )
      .all(...(kinds ?? []), this.#bounds(query, 1)) as NoteRow[]
    return rows.map((row) =>
      this.#rowOf(row, 1, { kind: row.kind, ...JSON.parse(row.facts) } as ActivityNote),
    )
  }

  #bounds({ before, fromMs, toMs, limit }: ActivityQuery, source: 0 | 1) {
    const end = toMs ?? Number.MAX_SAFE_INTEGER
    const from = fromMs ?? 0
    if (before === null || before.atMs >= end) return { at: end, id: 0, from, limit }
    // For equal times, notes come first.
    const id = source === before.source ? before.id : source < before.source ? Number.MAX_SAFE_INTEGER : 0
    return { at: before.atMs, id, from, limit }
  }

  #rowOf(row: JoinedRow, source: 0 | 1, activity: Activity): ActivityRow {
    return {
      position: { atMs: row.at, source, id: row.id },
      activity,
      recordingId: row.recording_id,
      name: row.name,
      bytes: row.bytes,
      sessionId: row.session_id,
      requestId: row.request_id,
    }
  }

  #prune(): void {
    const oldest = this.#now() - KEEP_MS
    for (const condition of ['IS NULL', 'IS NOT NULL'])
      this.#statements
        .of(
          `DELETE FROM activity WHERE recording_id ${condition} AND (at < ? OR id <= COALESCE(
             (SELECT id FROM activity WHERE recording_id ${condition} ORDER BY id DESC LIMIT 1 OFFSET ?), 0))`,
        )
        .run(oldest, MAX_NOTES)
  }
}
