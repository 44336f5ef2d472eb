import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import type { RecordingState, TakesToCheck } from '../../../shared/status/status.ts'
import type { ActivityStore } from './activity-store.ts'
import { Statements } from './statements.ts'

export type PastInspection = {
  readonly id: number
  readonly name: string
  readonly sizeBytes: number
  readonly report: 'none' | 'reported' | 'dismissed'
}

const TO_CHECK = 'deviations IS NOT NULL AND dismissed = 0'
const IS_HELD = "(problem_code IS 'take-held')"

/**
 * The inspection result of each recording. A row without a result is due. The journal adds the row when the recording
 * is finished.
 */
export class InspectionStore {
  readonly #statements: Statements
  readonly #now: () => number
  readonly #changed: (recordingId: number, state: RecordingState) => void
  readonly #paths: Paths
  readonly #activity: ActivityStore

  constructor(
    db: Database,
    now: () => number,
    changed: (recordingId: number, state: RecordingState) => void,
    paths: Paths,
    activity: ActivityStore,
  ) {
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
    this.#paths = paths
    this.#activity = activity
  }

  /** The next recording to inspect: the newest first, because the technician may still be at the recorder. */
  nextDue(): number | null {
    const row = this.#statements
      .of(
        `SELECT recording_id FROM inspections WHERE result IS NULL AND next_attempt_at <= ?
         ORDER BY recording_id DESC LIMIT 1`,
      )
      .pluck()
      .get(this.#now())
    return (row as number | undefined) ?? null
  }

  /**
   * `deviations`: how the recording deviates from the expectation or the usual content of its folder. `isAccepted`: a user has dismissed the same
   * deviations before. Then nobody is asked, and the recording does not count as usual.
   */
  save(
    recordingId: number,
    inspection: Inspection,
    deviations: readonly string[] = [],
    isAccepted = false,
  ): void {
    const accepted = isAccepted ? 1 : 0
    this.#statements
      .of(
        'UPDATE inspections SET result = ?, deviations = ?, dismissed = ?, released = ? WHERE recording_id = ?',
      )
      .run(
        JSON.stringify(inspection),
        deviations.length === 0 ? null : JSON.stringify(deviations),
        accepted,
        accepted,
        recordingId,
      )
    if (deviations.length > 0 && !isAccepted)
      this.#activity.note({ kind: 'take-deviates', deviations }, { recordingId })
    this.#notify(recordingId)
  }

  deviationsOf(recordingId: number): readonly string[] {
    const text = this.#statements
      .of('SELECT deviations FROM inspections WHERE recording_id = ?')
      .pluck()
      .get(recordingId) as string | null | undefined
    return text == null ? [] : (JSON.parse(text) as string[])
  }

  /** Recordings that deviate and that no user has dismissed, newest first. */
  toCheck(limit: number): TakesToCheck {
    const { count, held } = this.#statements
      .of(
        `SELECT COUNT(*) AS count, COALESCE(SUM(${IS_HELD}), 0) AS held
         FROM inspections JOIN recordings ON id = recording_id WHERE ${TO_CHECK}`,
      )
      .get() as { readonly count: number; readonly held: number }
    if (count === 0) return { count, held, newest: [] }
    const rows = this.#statements
      .of(
        `SELECT id, name, folder, deviations, ${IS_HELD} AS isHeld
         FROM inspections JOIN recordings ON id = recording_id
         WHERE ${TO_CHECK} ORDER BY recording_id DESC LIMIT ?`,
      )
      .all(limit) as { id: number; name: string; folder: string; deviations: string; isHeld: number }[]
    return {
      count,
      held,
      newest: rows.map((row) => ({
        ...row,
        isHeld: row.isHeld === 1,
        deviations: JSON.parse(row.deviations) as string[],
      })),
    }
  }

  idsToCheck(): readonly number[] {
    return this.#statements
      .of(`SELECT recording_id FROM inspections WHERE ${TO_CHECK}`)
      .pluck()
      .all() as number[]
  }

  /** Call when a user has seen the deviations. Returns false if there are none to dismiss. */
  dismiss(recordingId: number): boolean {
    const { changes } = this.#statements
      .of(`UPDATE inspections SET dismissed = 1 WHERE recording_id = ? AND ${TO_CHECK}`)
      .run(recordingId)
    if (changes > 0) this.#notify(recordingId)
    return changes > 0
  }

  /** Call when a user undoes the dismissal. */
  undismiss(recordingId: number): void {
    this.#statements.of('UPDATE inspections SET dismissed = 0 WHERE recording_id = ?').run(recordingId)
    this.#notify(recordingId)
  }

  /** Call when a user decides to upload a recording that deviates. */
  release(recordingId: number): void {
    this.#statements
      .of('UPDATE inspections SET released = 1, dismissed = 1 WHERE recording_id = ?')
      .run(recordingId)
    this.#notify(recordingId)
  }

  /**
   * Whether this recording may be uploaded, if its folder puts deviating recordings on hold. A recording that has no row
   * is `clear`.
   */
  clearanceOf(recordingId: number): 'inspection-due' | 'deviates' | 'clear' {
    const row = this.#statements
      .of(
        'SELECT result IS NULL AS isDue, deviations IS NOT NULL AND released = 0 AS deviates FROM inspections WHERE recording_id = ?',
      )
      .get(recordingId) as { readonly isDue: number; readonly deviates: number } | undefined
    if (row === undefined) return 'clear'
    if (row.isDue === 1) return 'inspection-due'
    return row.deviates === 1 ? 'deviates' : 'clear'
  }

  /** The inspections of the last recordings in a folder, newest first. */
  lastIn(folder: string, limit: number): readonly Inspection[] {
    const results = this.#statements
      .of(
        // CROSS JOIN: reads the newest inspections and stops, instead of sorting all recordings of the folder.
        `SELECT result FROM inspections CROSS JOIN recordings ON id = recording_id
         WHERE folder_key = ? AND result IS NOT NULL ORDER BY recording_id DESC LIMIT ?`,
      )
      .pluck()
      .all(this.#paths.key(folder), limit) as string[]
    return results.map((result) => JSON.parse(result) as Inspection)
  }

  /**
   * The last inspected recordings of a folder except one, newest first. `of` returns their inspections. `clear`: only
   * recordings that did not deviate, or that a user decided to upload.
   */
  pastIn(
    folder: string,
    exceptId: number,
    limit: number,
    which: 'all' | 'clear' = 'all',
  ): readonly PastInspection[] {
    return this.#statements
      .of(
        `SELECT id, name, bytes AS sizeBytes,
                CASE WHEN deviations IS NULL THEN 'none' WHEN dismissed = 1 THEN 'dismissed' ELSE 'reported' END AS report
         FROM inspections CROSS JOIN recordings ON id = recording_id
         WHERE folder_key = ? AND id <> ? AND result IS NOT NULL
           AND (? = 'all' OR deviations IS NULL OR released = 1)
         ORDER BY recording_id DESC LIMIT ?`,
      )
      .all(this.#paths.key(folder), exceptId, which, limit) as PastInspection[]
  }

  #notify(recordingId: number): void {
    const state = this.#statements.of('SELECT state FROM recordings WHERE id = ?').pluck().get(recordingId)
    if (state !== undefined) this.#changed(recordingId, state as RecordingState)
  }

  postpone(recordingId: number, untilMs: number): void {
    this.#statements
      .of('UPDATE inspections SET next_attempt_at = ? WHERE recording_id = ?')
      .run(untilMs, recordingId)
  }

  /** Call when the file is gone or has changed. When the recording is finished again, its inspection becomes due again. */
  forget(recordingId: number): void {
    this.#statements.of('DELETE FROM inspections WHERE recording_id = ?').run(recordingId)
  }

  of(recordingId: number): Inspection | null {
    const result = this.#statements
      .of('SELECT result FROM inspections WHERE recording_id = ?')
      .pluck()
      .get(recordingId) as string | null | undefined
    return result == null ? null : (JSON.parse(result) as Inspection)
  }
}
