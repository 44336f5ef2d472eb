import type { Claims } from './claims.ts'
import type { RateWindows } from './rate-windows.ts'
import type { Steps } from './steps.ts'

/** The port of the database: SQLite in one process, or PostgreSQL for several. The tables are in the other files of this folder. */
export type Store = {
  read<T>(steps: Steps<T>): Promise<T>
  /**
   * One transaction; resolves after its commit. `work` may run more than once, because PostgreSQL may ask for a second attempt.
   */
  write<T>(work: () => Steps<T>): Promise<T>
  readonly claims: Claims
  readonly rates: RateWindows
  /** How often a worker looks for work that another instance left, in milliseconds. Null if there is no other instance. */
  readonly pollEveryMs: number | null
  close(): Promise<void>
}
