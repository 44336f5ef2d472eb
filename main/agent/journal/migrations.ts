import { firstSchema } from './migrations/first-schema.ts'
import { holdsAndCounts } from './migrations/holds-and-counts.ts'
import { removalAndInspection } from './migrations/removal-and-inspection.ts'

/**
 * All entries, in order. The SQL of a released entry never changes. `user_version` is the number of applied entries.
 * Times are milliseconds of this PC's clock, unless a name or a comment says otherwise. Numbers that identify a file
 * are stored as text, because they can exceed 2^53. `key_of_path` returns the form in which this system compares paths.
 * No trigger and no index may use this function, because only a migrating connection has it.
 */
export const migrations: readonly string[] = [...firstSchema, ...holdsAndCounts, ...removalAndInspection]
