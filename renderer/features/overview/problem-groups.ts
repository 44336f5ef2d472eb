import { needsSomebody, type ProblemGroup, type Status } from '../../../shared/status/status.ts'

type Given = Pick<Status, 'problems'> & { readonly station: Pick<Status['station'], 'conditions'> }

const isOf = (condition: ProblemGroup['problem']) => (group: ProblemGroup) =>
  group.folder === undefined && group.problem.code === condition.code

export const isOfStation = (group: ProblemGroup, { conditions }: Given['station']): boolean =>
  conditions.some((condition) => isOf(condition)(group))

/**
 * Groups that need attention first; within both halves, station conditions first, worst first. A condition that also has
 * recordings is merged with their group, so it is shown once.
 */
export const orderedGroups = ({ problems, station }: Given): readonly ProblemGroup[] => {
  const ofStation = station.conditions.map((problem): ProblemGroup => {
    const group = problems.find(isOf(problem))
    return { count: 0, examples: [], ...group, problem }
  })
  const groups = [...ofStation, ...problems.filter((group) => !isOfStation(group, station))]
  return [
    ...groups.filter(({ problem }) => needsSomebody(problem)),
    ...groups.filter(({ problem }) => !needsSomebody(problem)),
  ]
}
