import type { Database } from 'better-sqlite3'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { IS_HELD } from './inspection-store.ts'
import { Statements } from './statements.ts'

export type PastInspection = {
  readonly id: number
  readonly name: string
  readonly sizeBytes: number
  readonly report: 'none' | 'reported' | 'dismissed'
}

/** The inspections of a folder's last recordings: the examples of its usual content. */
export class PastInspections {
  readonly #statements: Statements
  readonly #paths: Paths

  constructor(db: Database, paths: Paths) {
    this.#statements = new Statements(db)
    this.#paths = paths
  }

  /**
   * The inspections of the last recordings in a folder, newest first. `accepted` leaves out deviating recordings that
   * no user has accepted.
   */
  lastIn(folder: string, limit: number, which: 'all' | 'accepted' = 'all'): readonly Inspection[] {
    const results = this.#statements
      .of(
        // CROSS JOIN: reads the newest inspections and stops, instead of sorting all recordings of the folder.
        `SELECT result FROM (
           SELECT result, deviations IS NULL OR released = 1 OR (dismissed = 1 AND NOT ${IS_HELD}) AS accepted
           FROM inspections CROSS JOIN recordings ON id = recording_id
           WHERE folder_key = ? AND result IS NOT NULL ORDER BY recording_id DESC LIMIT ?
         ) WHERE accepted OR ? = 'all'`,
      )
      .pluck()
      .all(this.#paths.key(folder), limit, which) as string[]
    return results.map((result) => JSON.parse(result) as Inspection)
  }

  /**
   * The last inspected recordings of a folder except `exceptId`, newest first. `InspectionStore.of` returns their
   * inspections. `clear`: only recordings that do not deviate or were released for upload.
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
}
