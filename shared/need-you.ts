import type { Problem, ProblemCode, Status } from './status.ts'

/** They end when the network or the service is back. */
const healing: ReadonlySet<ProblemCode> = new Set(['service-unreachable', 'service-error', 'rate-limited'])

/** Not told by `nextAt`: a refused key is probed again too, and stays refused until somebody acts. */
export const needsSomebody = ({ code }: Problem): boolean => !healing.has(code)

/** Recordings that wait for a person. One that was marked as seen keeps its state and loses its problem. */
export const needYou = ({ counts, problems }: Pick<Status, 'counts' | 'problems'>): number => {
  const told = problems.filter((group) => needsSomebody(group.problem))
  return Math.min(
    counts.blocked + counts.failed + counts.gone,
    told.reduce((sum, group) => sum + group.count, 0),
  )
}
