import { firstSchema } from './migrations/first-schema.ts'
import { holdsAndCounts } from './migrations/holds-and-counts.ts'
import { removalAndInspection } from './migrations/removal-and-inspection.ts'

/**
 * All entries in their order: entry 1 is the first. The SQL of a released entry never changes. `user_version` is the
 * number of applied entries. Times are milliseconds of this PC's clock, unless a name or a comment says otherwise. The
 * numbers that identify a file are stored as text, because they can exceed 2^53. The function `key_of_path` returns the
 * form of a path that comparisons on this system use. Only the connection that migrates a journal has this function, so
 * no trigger and no index may use it.
 */
export const migrations: readonly string[] = [...firstSchema, ...holdsAndCounts, ...removalAndInspection]
