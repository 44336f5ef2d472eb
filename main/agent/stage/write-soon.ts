import type { Journal } from '../journal/journal.ts'
import type { ReportError } from './trouble.ts'

/** Writes in one transaction, now or as soon as no other program holds the journal: nobody would ask for it again. */
export const writeSoon = (
  { journal, reportError }: { readonly journal: Journal; readonly reportError: ReportError },
  where: string,
  work: () => void,
): void => {
  try {
    journal.transaction(work)
  } catch (error) {
    if (reportError(error, where) !== 'busy') return
    journal.commit(work).catch((later: unknown) => reportError(later, where))
  }
}
