import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'

/**
 * Hard case: Another program locks the journal for minutes.
 * The first refused write waits 50 ms, and later writes fail at once, so the lock blocks the event loop only once and
 * only briefly. Every stage waits until a write succeeds.
 */

/**
 * A write that waits for the lock blocks the event loop, so the wait is short. A terminal command of Sluice holds the
 * lock for less time than this.
 */
const BUSY_TIMEOUT_MS = 50
const PROBE_INTERVAL_MS = 250

/** Shown to the user who requested the write. SQLite's own message names neither cause nor remedy. */
export const LOCKED_SENTENCE =
  'Another program has locked the journal, so nothing was changed. Try again in a moment.'

/** Whether a write failed because another process holds the write lock. The journal is then intact and unchanged. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/** Tracks whether another program holds the write lock. */
export class WriteLockWatch {
  readonly #db: Database.Database
  #isLocked = false
  #times = 0

  constructor(db: Database.Database) {
    this.#db = db
    this.#setBusyTimeout(BUSY_TIMEOUT_MS)
  }

  get isLocked(): boolean {
    return this.#isLocked
  }

  /** The number of times that another program has taken the lock. */
  get times(): number {
    return this.#times
  }

  /** Runs a write and records whether the lock refused it. */
  attempt<T>(write: () => T): T {
    try {
      const value = write()
      this.#set(false)
      return value
    } catch (error) {
      this.#set(isBusy(error))
      throw error
    }
  }

  #set(isLocked: boolean): void {
    if (isLocked === this.#isLocked) return
    this.#isLocked = isLocked
    if (isLocked) this.#times += 1
    this.#setBusyTimeout(isLocked ? 0 : BUSY_TIMEOUT_MS)
  }

  #setBusyTimeout(ms: number): void {
    this.#db.pragma(`busy_timeout = ${ms}`)
  }
}

/**
 * Resolves once the lock is free or the signal aborts. `probe` throws while the lock is held. Any other error of
 * `probe` ends the wait.
 */
export const waitUntilWritable = async (probe: () => void, signal: AbortSignal): Promise<void> => {
  for (;;) {
    await sleep(PROBE_INTERVAL_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      probe()
      return
    } catch (error) {
      if (!isBusy(error)) return
    }
  }
}

const watches = new WeakMap<Database.Database, WriteLockWatch>()

/** Only the agent calls this function, because its event loop must not block. */
export const watchWriteLock = (db: Database.Database): WriteLockWatch => {
  const watch = new WriteLockWatch(db)
  watches.set(db, watch)
  return watch
}

/** Runs a write and tracks the lock. Call this only while no transaction is open. */
export const attemptWrite = <T>(db: Database.Database, write: () => T): T => {
  const watch = watches.get(db)
  return watch === undefined ? write() : watch.attempt(write)
}
