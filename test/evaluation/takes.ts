import { compareWithUsual, type PastTake } from '../../main/agent/domain/usual-takes.ts'
import type { Fault, TakeMonths } from './take-months.ts'

/** The number of past recordings to compare with, as in the agent's inspector. */
const PAST_TAKES = 60
/** The first recordings are not scored, because `compareWithUsual` needs past recordings to compare with. */
const FIRST_SCORED = 10

export type TakeScore = {
  readonly good: number
  readonly falseAlarms: readonly string[]
  readonly found: readonly Fault[]
  readonly missed: readonly Fault[]
}

/** The simulated person dismisses most alarms, true or false. */
const DISMISSED_SHARE = 0.8

export const scoreTakes = (takes: TakeMonths, random: () => number): TakeScore => {
  const past: PastTake[] = []
  const falseAlarms: string[] = []
  const found: Fault[] = []
  const missed: Fault[] = []
  let good = 0
  for (const [index, { take, fault }] of takes.entries()) {
    const { deviations, isAccepted } = compareWithUsual(take, past)
    const isReported = deviations.length > 0 && !isAccepted
    if (index >= FIRST_SCORED) {
      if (fault === null) good += 1
      if (fault === null && isReported) falseAlarms.push(deviations.join(' '))
      // A fault that lasts for several recordings is one fault. Its first recording must be reported.
      if (fault !== null && takes[index - 1]?.fault !== fault) (isReported ? found : missed).push(fault)
    }
    const answer = random() < DISMISSED_SHARE ? 'dismissed' : 'reported'
    past.unshift({ ...take, report: isReported ? answer : isAccepted ? 'dismissed' : 'none' })
    past.length = Math.min(past.length, PAST_TAKES)
  }
  return { good, falseAlarms, found, missed }
}
