import type { Database } from 'better-sqlite3'
import type { Inspection } from '../../../shared/status/inspection.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import { Statements } from './statements.ts'

/**
 * The inspection result of each recording. A row without a result is due. The journal adds the row when the recording
 * has ended.
 */
export class InspectionStore {
  readonly #statements: Statements
  readonly #now: () => number
  readonly #changed: (recordingId: number, state: RecordingState) => void

  constructor(
    db: Database,
    now: () => number,
    changed: (recordingId: number, state: RecordingState) => void,
  ) {
    this.#statements = new Statements(db)
    this.#now = now
    this.#changed = changed
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

  save(recordingId: number, inspection: Inspection): void {
    this.#statements
      .of('UPDATE inspections SET result = ? WHERE recording_id = ?')
      .run(JSON.stringify(inspection), recordingId)
    const state = this.#statements.of('SELECT state FROM recordings WHERE id = ?').pluck().get(recordingId)
    if (state !== undefined) this.#changed(recordingId, state as RecordingState)
  }

  wait(recordingId: number, untilMs: number): void {
    this.#statements
      .of('UPDATE inspections SET next_attempt_at = ? WHERE recording_id = ?')
      .run(untilMs, recordingId)
  }

  /** Call when the file is gone or has changed. When the recording ends again, it becomes due again. */
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
