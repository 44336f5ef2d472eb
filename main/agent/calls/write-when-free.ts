import type { Journal } from '../journal/journal.ts'
import { isBusy } from '../journal/write-lock.ts'

/** A terminal command holds the lock for less time than this. */
const LOCK_TIMEOUT_MS = 5_000

/**
 * Calls `write`. If another program has locked the journal, waits for the lock and calls `write` once more. The first
 * call has changed nothing.
 */
export const writeWhenFree = async <T>(journal: Pick<Journal, 'whenFree'>, write: () => T): Promise<T> => {
  try {
    return write()
  } catch (error) {
    if (!isBusy(error)) throw error
    await journal.whenFree(AbortSignal.timeout(LOCK_TIMEOUT_MS))
    return write()
  }
}
