import type { Database } from 'better-sqlite3'
import type { Standing } from '../../../shared/status/standing.ts'
import type { StandingContext } from '../domain/standing.ts'
import type { SqlCondition } from './list-conditions.ts'

type Counts = Record<Standing, number>

/**
 * Counts the recordings whose bytes are being sent. The parameter lists at most a few dozen ids, so SQLite reads only a
 * few rows by their primary key.
 */
const COUNT_BEING_SENT = `SELECT COUNT(*) FROM recordings
  WHERE id IN (SELECT value FROM json_each(?)) AND state = 'uploading' AND ends_by IS NULL AND paused = 0`

/**
 * Tallies also count uploads that wait for a slot as `uploading`. This function moves those to `waiting`, so that the
 * counts match the rows.
 */
export const withQueuedUploads = (
  counts: Counts,
  db: Database,
  { uploadingIds }: StandingContext,
  conditions: readonly SqlCondition[] = [],
): Counts => {
  if (uploadingIds === undefined || counts.uploading === 0) return counts
  const uploading = db
    .prepare([COUNT_BEING_SENT, ...conditions.map(({ sql }) => sql)].join(' AND '))
    .pluck()
    .get(JSON.stringify(uploadingIds), ...conditions.flatMap(({ values }) => values)) as number
  return { ...counts, uploading, waiting: counts.waiting + counts.uploading - uploading }
}

/** Includes `fromMs` but not `toMs`. */
export const foundBetween = (fromMs: number, toMs: number): SqlCondition => ({
  sql: 'found_at >= ? AND found_at < ?',
  values: [fromMs, toMs],
})

export const inFolders = (keys: readonly string[]): SqlCondition => ({
  sql: 'folder_key IN (SELECT value FROM json_each(?))',
  values: [JSON.stringify(keys)],
})
