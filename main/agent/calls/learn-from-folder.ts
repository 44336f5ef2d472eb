import type { LearnedExpectation } from '../../../shared/ipc/learned-expectation.ts'
import { findDeviations } from '../domain/find-deviations.ts'
import { learnExpectation, MIN_LEARNED_RECORDINGS } from '../domain/learn-expectation.ts'
import type { Journal } from '../journal/journal.ts'
import { CallRefusedError } from './call-refused.ts'

const MAX_RECORDINGS = 30

/**
 * Proposes an expectation for a folder. Does not learn from recordings that Sluice reported and no user accepted: the
 * proposal would allow their faults.
 */
export const learnFromFolder = (journal: Journal, folder: string): LearnedExpectation => {
  const last = journal.pastInspections.lastIn(folder, MAX_RECORDINGS)
  if (last.length === 0 && journal.folders.of(folder) === null)
    throw new CallRefusedError(`Sluice does not watch ${folder}.`)
  const accepted = journal.pastInspections.lastIn(folder, MAX_RECORDINGS, 'accepted')
  const { samples, expect } = learnExpectation(accepted)
  return {
    expect,
    recordings: samples.length,
    leftOut: last.length - accepted.length,
    deviating:
      expect === null
        ? 0
        : samples.filter((inspection) => findDeviations(inspection, expect).length > 0).length,
    needed: MIN_LEARNED_RECORDINGS,
  }
}
