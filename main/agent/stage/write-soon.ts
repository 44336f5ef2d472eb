import type { Journal } from '../journal/journal.ts'
import type { ReportError } from './error-reporter.ts'

/**
 * Writes at once, or after the lock ends if another program has locked the journal. Use this for facts that no later
 * call would write again.
 */
export const writeSoon = (
  { journal, reportError }: { readonly journal: Journal; readonly reportError: ReportError },
  caller: string,
  work: () => void,
): void => {
  try {
    journal.transaction(work)
  } catch (error) {
    if (reportError(error, caller) !== 'busy') return
    journal.commit(work).catch((laterError: unknown) => reportError(laterError, caller))
  }
}
