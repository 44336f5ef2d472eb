import { needsSomebody, type ProblemGroup, type Status } from '../../../shared/status.ts'

type Given = Pick<Status, 'problems'> & { readonly station: Pick<Status['station'], 'conditions'> }

/**
 * One group for each condition of the station, gravest first, then what needs somebody, then what passes. A
 * condition is among the groups too, alone or together with the recordings that have it: it is not shown twice.
 */
export const orderedGroups = ({ problems, station: { conditions } }: Given): readonly ProblemGroup[] => {
  const isOf = (condition: ProblemGroup['problem']) => (group: ProblemGroup) =>
    group.folder === undefined && group.problem.code === condition.code
  const ofStation = conditions.map((problem): ProblemGroup => {
    const group = problems.find(isOf(problem))
    return { count: 0, examples: [], ...group, problem }
  })
  const others = problems.filter((group) => !conditions.some((condition) => isOf(condition)(group)))
  return [
    ...ofStation,
    ...others.filter(({ problem }) => needsSomebody(problem)),
    ...others.filter(({ problem }) => !needsSomebody(problem)),
  ]
}
