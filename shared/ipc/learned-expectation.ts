import type { TakeExpectation } from '../settings/take-expectation.ts'
import { plural } from '../words/format.ts'

/** An expectation that Sluice proposes from past recordings, for an administrator to confirm. */
export type LearnedExpectation = {
  /** Null if `recordings` is less than `needed`. */
  readonly expect: TakeExpectation | null
  /** How many recordings Sluice learns from: complete ones of the most frequent format, without those in `leftOut`. */
  readonly recordings: number
  /** How many recordings Sluice does not learn from, because they are not as expected and nobody accepted them. */
  readonly leftOut: number
  /** How many of `recordings` would not meet the proposed expectation. */
  readonly deviating: number
  /** The number of recordings that a proposal needs. */
  readonly needed: number
}

const leftOutWords = (leftOut: number): string =>
  leftOut === 0
    ? ''
    : ` ${plural(leftOut, 'recording that is', 'recordings that are')} not as expected ${leftOut === 1 ? 'is' : 'are'} left out.`

export const learnedWords = ({
  expect,
  recordings,
  leftOut,
  deviating,
  needed,
}: LearnedExpectation): string => {
  const sentences =
    expect === null
      ? `Sluice needs ${needed} complete recordings of one format. This folder has ${recordings}.`
      : `Learned from the last ${plural(recordings, 'recording')}. ${deviating === 0 ? 'None' : deviating} of them would have been reported as not as expected.`
  return sentences + leftOutWords(leftOut)
}
