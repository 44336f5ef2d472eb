import type { LearnedExpectation } from '../../../shared/ipc/learned-expectation.ts'
import { findDeviations } from '../domain/find-deviations.ts'
import { learnExpectation, MIN_LEARNED_RECORDINGS } from '../domain/learn-expectation.ts'
import type { Journal } from '../journal/journal.ts'

const MAX_RECORDINGS = 30

/** Proposes the expectation of a folder, and counts the past recordings that it would have reported. */
export const learnFromFolder = (journal: Journal, folder: string): LearnedExpectation => {
  const inspections = journal.inspections
    .lastIn(folder, MAX_RECORDINGS)
    .filter(({ format }) => format !== 'other')
  const expect = learnExpectation(inspections)
  return {
    expect,
    recordings: inspections.length,
    deviating:
      expect === null
        ? 0
        : inspections.filter((inspection) => findDeviations(inspection, expect).length > 0).length,
    needed: MIN_LEARNED_RECORDINGS,
  }
}
