import { needsSomebody, type ProblemGroup, type Status } from '../../../shared/status.ts'

type Given = Pick<Status, 'problems'> & { readonly station: Pick<Status['station'], 'conditions'> }

const isOf = (condition: ProblemGroup['problem']) => (group: ProblemGroup) =>
  group.folder === undefined && group.problem.code === condition.code

export const isOfStation = (group: ProblemGroup, { conditions }: Given['station']): boolean =>
  conditions.some((condition) => isOf(condition)(group))

/**
 * What needs somebody before what passes; among either, one group for each condition of the station, gravest first. A
 * condition is among the groups too, alone or together with the recordings that have it: it is not shown twice.
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
