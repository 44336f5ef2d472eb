import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Inspection, InspectionWarning } from '../../../shared/status/inspection.ts'
import type { RecordingState, TakesToCheck } from '../../../shared/status/status.ts'
import { NEVER_MS } from '../domain/problems.ts'
import type { ActivityStore } from './activity-store.ts'
import type { Recording } from './row.ts'
import { Statements } from './statements.ts'

/** `isReported`: whether the inspection has a warning about the series that the image belongs to. */
export type InspectedImage = {
  readonly id: number
  readonly path: string
  readonly type: string | null
  readonly isReported: boolean
}

/**
 * Leaves out recordings whose folder is no longer in the settings, because nobody can decide about them. Their reports
 * reappear when the folder is added again.
 */
const TO_CHECK = `deviations IS NOT NULL AND dismissed = 0 AND NOT EXISTS (SELECT 1 FROM recordings AS unwatched
  WHERE unwatched.id = recording_id AND unwatched.problem_code = 'folder-removed')`
/** Includes due inspections, because a user may decide about a take before all its files are inspected. */
const MAY_DEVIATE = '(deviations IS NOT NULL OR result IS NULL)'
export const IS_HELD = "(problem_code IS 'take-held')"

/** The recording with this `id`, and the growing and queued files of its take that no user has ignored. */
const IN_TAKE = `(id = :id OR (take = :take AND current = 1 AND state IN ('growing', 'queued')
  AND NOT (ends_by IS 'dismissed' AND recordings.next_attempt_at >= ${NEVER_MS})))`

type InTake = Pick<Recording, 'id' | 'take' | 'current'>

const takeValues = ({ id, take, current }: InTake) => ({ id, take: current ? take : null })

/**
 * The inspection result of each recording. A row without a result means that the inspection is due. A trigger adds the
 * row when the recording is finished, unless `requestEarly` has already added it.
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
   * Requests the inspection of a recording before it settles. Call when the recorder has closed the file. If the file
   * changes before the recording settles, a trigger deletes the inspection.
   */
  requestEarly(recordingId: number): void {
    const { changes } = this.#statements
      .of(
        'INSERT INTO inspections (recording_id, early) VALUES (?, 1) ON CONFLICT DO UPDATE SET result = NULL, next_attempt_at = 0, deviations = NULL, dismissed = 0, released = 0, early = 1 WHERE early = 0',
      )
      .run(recordingId)
    if (changes > 0) this.#notify(recordingId)
  }

  /**
   * Call when a `metadata.yaml` in this folder is new or has changed: that file shows whether the bag files beside it
   * are complete. The old reports stay until the new results arrive, and decisions of users stay valid.
   */
  repeatBesideMetadata(folder: string): void {
    const below = this.#paths.key(this.#paths.join(folder, '_')).slice(0, -1)
    const ids = this.#statements
      .of(
        `UPDATE inspections SET result = NULL, next_attempt_at = 0
         WHERE result ->> '$.completeness' IN ('cut-off', 'unknown') AND recording_id IN (
           SELECT id FROM recordings WHERE current = 1 AND path_key > :below AND path_key < :below || char(1114111)
             AND instr(substr(path_key, length(:below) + 1), :separator) = 0 AND removed_at IS NULL AND state <> 'gone'
             AND (path LIKE '%.db3' OR path LIKE '%.mcap')) RETURNING recording_id`,
      )
      .pluck()
      .all({ below, separator: below.slice(-1) }) as number[]
    for (const id of ids) this.#notify(id)
  }

  isEarly(recordingId: number): boolean {
    const early = this.#statements
      .of('SELECT early FROM inspections WHERE recording_id = ?')
      .pluck()
      .get(recordingId)
    return early === 1
  }

  /**
   * `deviations`: how the recording deviates from the expected or usual content of its folder. `isAccepted`: the last
   * recordings had the same deviations and no open report, so Sluice does not report this recording. Returns true if
   * the recording may be uploaded: it does not deviate, its deviations are accepted, or a user released it.
   */
  save(
    recordingId: number,
    inspection: Inspection,
    deviations: readonly string[] = [],
    isAccepted = false,
  ): boolean {
    const accepted = isAccepted ? 1 : 0
    const isNew = JSON.stringify(deviations) !== JSON.stringify(this.deviationsOf(recordingId))
    const released = this.#statements
      .of(
        `UPDATE inspections SET result = ?, deviations = ?, dismissed = MAX(dismissed, ?), released = MAX(released, ?)
         WHERE recording_id = ? RETURNING released`,
      )
      .pluck()
      .get(
        JSON.stringify(inspection),
        deviations.length === 0 ? null : JSON.stringify(deviations),
        accepted,
        accepted,
        recordingId,
      )
    if (deviations.length > 0 && !isAccepted && isNew)
      this.#activity.note({ kind: 'take-deviates', deviations }, { recordingId })
    this.#notify(recordingId)
    return deviations.length === 0 || released === 1
  }

  deviationsOf(recordingId: number): readonly string[] {
    const text = this.#statements
      .of('SELECT deviations FROM inspections WHERE recording_id = ?')
      .pluck()
      .get(recordingId) as string | null | undefined
    return text == null ? [] : (JSON.parse(text) as string[])
  }

  /**
   * The deviating recordings that no user has dismissed, newest first. `holdsIn`: whether a folder puts deviating
   * recordings on hold.
   */
  toCheck(limit: number, holdsIn: (folder: string) => boolean = () => false): TakesToCheck {
    const { count, held } = this.#statements
      .of(
        `SELECT COUNT(*) AS count, COALESCE(SUM(${IS_HELD}), 0) AS held
         FROM inspections JOIN recordings ON id = recording_id WHERE ${TO_CHECK}`,
      )
      .get() as { readonly count: number; readonly held: number }
    if (count === 0) return { count, held, newest: [] }
    const rows = this.#statements
      .of(
        `SELECT id, name, folder, deviations, ${IS_HELD} AS isHeld, state IN ('growing', 'queued') AS isUnread
         FROM inspections JOIN recordings ON id = recording_id
         WHERE ${TO_CHECK} ORDER BY recording_id DESC LIMIT ?`,
      )
      .all(limit) as (Record<'name' | 'folder' | 'deviations', string> &
      Record<'id' | 'isHeld' | 'isUnread', number>)[]
    return {
      count,
      held,
      newest: rows.map(({ id, name, folder, deviations, isHeld, isUnread }) => ({
        id,
        name,
        folder,
        isHeld: isHeld === 1,
        willBeHeld: isHeld === 0 && isUnread === 1 && holdsIn(folder),
        deviations: JSON.parse(deviations) as string[],
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

  /**
   * Dismisses the report of a held recording. Call when a user dismisses the recording, even a second time, because the
   * report may be open again. Also call when the file of a dismissed recording comes back unchanged. A report that
   * follows from a due inspection is dismissed too.
   */
  dismissHeld(recordingId: number): void {
    this.#statements
      .of(`UPDATE inspections SET dismissed = 1 WHERE recording_id = ? AND ${MAY_DEVIATE}`)
      .run(recordingId)
    this.#notify(recordingId)
  }

  /**
   * Call when a file of the take waits for a decision. If a user has dismissed all reports about the take, Sluice
   * reports the take's deviating files again.
   */
  reportAgain(recording: InTake): void {
    const values = takeValues(recording)
    const reported = this.#statements
      .of(
        `SELECT 1 FROM recordings CROSS JOIN inspections ON recording_id = id WHERE ${IN_TAKE} AND ${TO_CHECK} LIMIT 1`,
      )
      .get(values)
    if (reported !== undefined) return
    this.#statements
      .of(
        `UPDATE inspections SET dismissed = 0 WHERE deviations IS NOT NULL AND released = 0
         AND recording_id IN (SELECT id FROM recordings WHERE ${IN_TAKE})`,
      )
      .run(values)
    this.#notify(recording.id)
  }

  undismiss(recordingId: number): void {
    this.#statements.of('UPDATE inspections SET dismissed = 0 WHERE recording_id = ?').run(recordingId)
    this.#notify(recordingId)
  }

  /**
   * Call when a user decides to upload a recording although it, or a different file of its take, deviates. The decision
   * also applies to the files of the take whose inspections are still due.
   */
  release(recording: InTake): void {
    this.#statements
      .of(
        `UPDATE inspections SET released = 1, dismissed = 1
         WHERE ${MAY_DEVIATE} AND recording_id IN (SELECT id FROM recordings WHERE ${IN_TAKE})`,
      )
      .run(takeValues(recording))
    this.#notify(recording.id)
  }

  /**
   * Whether this recording may be uploaded from a folder that puts deviating recordings on hold. Also considers the
   * growing and queued files of its take. A file without an inspection row counts as `clear`.
   */
  clearanceOf(recording: InTake): 'inspection-due' | 'deviates' | 'clear' {
    if (this.deviatingWith(recording) !== null) return 'deviates'
    return this.isDueWith(recording) ? 'inspection-due' : 'clear'
  }

  /**
   * Whether the inspection of the recording or of another file of its take is due. Leaves out files that a user has
   * released.
   */
  isDueWith(recording: InTake): boolean {
    const due = this.#statements
      .of(
        `SELECT 1 FROM recordings CROSS JOIN inspections ON recording_id = id WHERE ${IN_TAKE}
         AND result IS NULL AND released = 0 LIMIT 1`,
      )
      .get(takeValues(recording))
    return due !== undefined
  }

  /** The first deviating file, by path, among the recording and its take. Leaves out files that a user has released. */
  deviatingWith(recording: InTake): { readonly name: string; readonly deviations: readonly string[] } | null {
    const row = this.#statements
      .of(
        // CROSS JOIN: reads only the files of the take, instead of all inspections.
        `SELECT name, deviations FROM recordings CROSS JOIN inspections ON recording_id = id
         WHERE ${IN_TAKE} AND deviations IS NOT NULL AND released = 0 ORDER BY path LIMIT 1`,
      )
      .get(takeValues(recording)) as { readonly name: string; readonly deviations: string } | undefined
    return row === undefined ? null : { ...row, deviations: JSON.parse(row.deviations) as string[] }
  }

  #notify(recordingId: number): void {
    const state = this.#statements.of('SELECT state FROM recordings WHERE id = ?').pluck().get(recordingId)
    if (state !== undefined) this.#changed(recordingId, state as RecordingState)
  }

  /**
   * Whether the take has a file that is still growing, or a file whose inspection is due. A growing file with a problem
   * does not count, because it may never settle. Reads the newest files first, because they are the most likely to
   * grow.
   */
  isUnfinished(take: string): boolean {
    return (
      this.#statements
        .of(
          `SELECT 1 FROM recordings LEFT JOIN inspections ON recording_id = id WHERE take = ? AND current = 1
             AND ((state = 'growing' AND problem_code IS NULL) OR (recording_id IS NOT NULL AND result IS NULL))
           ORDER BY id DESC LIMIT 1`,
        )
        .get(take) !== undefined
    )
  }

  /** The inspected images of a take. Empty if the take has more than `limit` images. */
  imagesIn(take: string, limit: number): readonly InspectedImage[] {
    const rows = this.#statements
      .of(
        `SELECT id, path, result ->> '$.channels[0].type' AS type, result LIKE '%"code":"images-%' AS isReported
         FROM recordings CROSS JOIN inspections ON recording_id = id
         WHERE take = ? AND current = 1 AND result IS NOT NULL
           AND (path LIKE '%.jpg' OR path LIKE '%.jpeg' OR path LIKE '%.png') LIMIT ?`,
      )
      .all(take, limit + 1) as (Omit<InspectedImage, 'isReported'> & { readonly isReported: number })[]
    return rows.length > limit ? [] : rows.map((row) => ({ ...row, isReported: row.isReported === 1 }))
  }

  /** Replaces the warnings about the image's series, and keeps all other warnings. */
  setSeriesWarnings(recordingId: number, warnings: readonly InspectionWarning[]): void {
    const inspection = this.of(recordingId)
    if (inspection === null) return
    const others = inspection.warnings.filter(({ code }) => !code.startsWith('images-'))
    this.#statements
      .of('UPDATE inspections SET result = ? WHERE recording_id = ?')
      .run(JSON.stringify({ ...inspection, warnings: [...others, ...warnings] }), recordingId)
    this.#notify(recordingId)
  }

  postpone(recordingId: number, untilMs: number): void {
    this.#statements
      .of('UPDATE inspections SET next_attempt_at = ? WHERE recording_id = ?')
      .run(untilMs, recordingId)
  }

  /** Call when the file is gone or has changed. */
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
