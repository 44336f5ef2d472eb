import type { Claims } from './claims.ts'
import type { RateWindows } from './rate-windows.ts'
import type { Steps } from './steps.ts'

/**
 * The port for the database: SQLite in one process, or PostgreSQL for several. The other files of this folder
 * contain the queries, mostly one file per table.
 */
export type Store = {
  read<T>(steps: Steps<T>): Promise<T>
  /**
   * Runs one transaction and resolves after its commit. `work` may run more than once, because PostgreSQL may require a
   * retry.
   */
  write<T>(work: () => Steps<T>): Promise<T>
  /** Like `write`, for a single step, which is a transaction by itself. */
  writeOne<T>(step: Steps<T>): Promise<T>
  readonly claims: Claims
  readonly rates: RateWindows
  /** How often a worker looks for work that a different instance has queued. Null if there is only one instance. */
  readonly pollIntervalMs: number | null
  close(): Promise<void>
}
