import type { TakeExpectation } from '../settings/take-expectation.ts'
import { plural } from '../words/format.ts'

/** An expectation that Sluice proposes from past recordings, for an administrator to confirm. */
export type LearnedExpectation = {
  /** Null if the folder has too few inspected recordings. */
  readonly expect: TakeExpectation | null
  /** The number of inspected recordings. */
  readonly recordings: number
  /** How many of them the proposal would report. */
  readonly deviating: number
  /** The number of recordings that a proposal needs. */
  readonly needed: number
}

export const learnedWords = ({ expect, recordings, deviating, needed }: LearnedExpectation): string =>
  expect === null
    ? `Sluice needs ${needed} inspected recordings of one format to learn from. This folder has ${recordings}.`
    : `Learned from the last ${plural(recordings, 'recording')}. Sluice would have reported ${deviating === 0 ? 'none' : deviating} of them.`
