import type { Journal } from '../journal/journal.ts'
import type { Tell } from './trouble.ts'

/** Writes in one transaction, now or as soon as no other program holds the journal: nobody would ask for it again. */
export const writeSoon = (
  { journal, tell }: { readonly journal: Journal; readonly tell: Tell },
  where: string,
  work: () => void,
): void => {
  try {
    journal.transaction(work)
  } catch (error) {
    if (tell(error, where) !== 'busy') return
    journal.commit(work).catch((later: unknown) => tell(later, where))
  }
}
