import { firstSchema } from './migrations/first-schema.ts'
import { holdsAndCounts } from './migrations/holds-and-counts.ts'
import { removalAndInspection } from './migrations/removal-and-inspection.ts'

/**
 * All entries in their order. They are numbered by position. The SQL of a released entry never changes. `user_version`
 * is the number of applied entries. Times are wall-clock milliseconds. Identity numbers are text because they exceed
 * 2^53. The function `key_of_path` exists only while migrations run. It returns the form of a path that comparisons on
 * this system use.
 */
export const migrations: readonly string[] = [...firstSchema, ...holdsAndCounts, ...removalAndInspection]
