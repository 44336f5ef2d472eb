import type { Journal } from '../journal/journal.ts'
import { isBusy } from '../journal/journal-hold.ts'

/** A command of the terminal, which writes to the journal too, is done sooner. */
const LIMIT_MS = 5_000

/** A write that meets another program's has done nothing yet, so it is made once more when that one is over. */
export const writeAfterOthers = async <T>(journal: Pick<Journal, 'whenFree'>, write: () => T): Promise<T> => {
  try {
    return write()
  } catch (error) {
    if (!isBusy(error)) throw error
    await journal.whenFree(AbortSignal.timeout(LIMIT_MS))
    return write()
  }
}
