import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'

/**
 * SQLite waits for another program's write inside the call, and the event loop stands still meanwhile. A command of the
 * terminal is done sooner than this.
 */
const FIRST_WAIT_MS = 50
const PROBE_MS = 250

/** For whoever asked for the write. SQLite's own word for it says neither who nor what to do. */
export const HELD_SENTENCE =
  'Another program holds the journal, and it was not changed. Try again in a moment.'

/** Another process writes, or keeps others from it. Nothing is wrong with the journal, and nothing was changed. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * Whether another program holds the journal. The first write that meets it waits for a moment; as long as it is held
 * every further write is refused at once, so the loop stands still once and not at each write.
 */
export class JournalHold {
  readonly #db: Database.Database
  #isHeld = false
  #times = 0

  constructor(db: Database.Database) {
    this.#db = db
    this.#wait(FIRST_WAIT_MS)
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** How many times another program has come to hold it. */
  get times(): number {
    return this.#times
  }

  /** Runs a write, and learns from it. */
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

  #set(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return
    this.#isHeld = isHeld
    if (isHeld) this.#times += 1
    this.#wait(isHeld ? 0 : FIRST_WAIT_MS)
  }

  #wait(ms: number): void {
    this.#db.pragma(`busy_timeout = ${ms}`)
  }
}

/** Ends once a write gets through, or with the signal. `probe` throws as long as it does not. */
export const untilFree = async (probe: () => void, signal: AbortSignal): Promise<void> => {
  for (;;) {
    await sleep(PROBE_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      probe()
      return
    } catch (error) {
      if (!isBusy(error)) return
    }
  }
}

const holds = new WeakMap<Database.Database, JournalHold>()

/** For the agent, whose loop has others to serve. Without it a write waits as long as its connection says. */
export const neverBlockFor = (db: Database.Database): JournalHold => {
  const hold = new JournalHold(db)
  holds.set(db, hold)
  return hold
}

/** A write that is no part of an open transaction. */
export const attemptWrite = <T>(db: Database.Database, write: () => T): T => {
  const hold = holds.get(db)
  return hold === undefined ? write() : hold.attempt(write)
}
