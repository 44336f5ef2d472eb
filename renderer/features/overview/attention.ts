import { conditionCodeOf, conditionWithCode, probeOf } from '../../../shared/status/conditions.ts'
import { problemOwners } from '../../../shared/status/problem-terms.ts'
import {
  type FolderStatus,
  type ProblemGroup,
  problemNeedsAttention,
  type Silence,
  type Status,
  type TakeToCheck,
} from '../../../shared/status/status.ts'

type Given = Pick<Status, 'problems' | 'takesToCheck'> & {
  readonly station: Pick<Status['station'], 'conditions'>
  readonly folders: readonly Pick<FolderStatus, 'path' | 'silence'>[]
}

export type AttentionItem =
  | {
      readonly kind: 'problem'
      readonly group: ProblemGroup
      readonly isOfStation: boolean
      /** When a condition of the station began. */
      readonly since: string | null
    }
  | { readonly kind: 'silence'; readonly path: string; readonly silence: Silence }
  | { readonly kind: 'take'; readonly take: TakeToCheck }

export type AttentionItems = {
  /** Problems that a person must solve. The technician's come first, then the administrator's, then support's. */
  readonly needed: readonly AttentionItem[]
  /** Conditions of the station that clear by themselves, such as a lost network. */
  readonly passing: readonly AttentionItem[]
  /** The other problems that clear by themselves. */
  readonly folded: readonly AttentionItem[]
}

const isOf = (condition: ProblemGroup['problem']) => (group: ProblemGroup) =>
  group.folder === undefined && group.problem.code === condition.code

const ownerRank = (item: AttentionItem): number =>
  item.kind === 'problem' ? problemOwners.indexOf(item.group.problem.owner) : 0

/** A condition that also has recordings is merged with their group, so it is shown once. */
export const attentionItems = ({ problems, station, folders, takesToCheck }: Given): AttentionItems => {
  const ofStation = station.conditions.map((problem): AttentionItem => {
    const group = problems.find(isOf(problem))
    return {
      kind: 'problem',
      group: { count: 0, examples: [], ...group, problem },
      isOfStation: true,
      since: problem.since ?? null,
    }
  })
  const silences = folders.flatMap(({ path, silence }): AttentionItem[] =>
    silence === null ? [] : [{ kind: 'silence', path, silence }],
  )
  const takes = takesToCheck.newest.map((take): AttentionItem => ({ kind: 'take', take }))
  const others = problems
    .filter((group) => !station.conditions.some((condition) => isOf(condition)(group)))
    .map((group): AttentionItem => ({ kind: 'problem', group, isOfStation: false, since: null }))
  const isNeeded = (item: AttentionItem) =>
    item.kind !== 'problem' || problemNeedsAttention(item.group.problem)
  const all = [...ofStation, ...takes, ...silences, ...others]
  return {
    needed: all.filter(isNeeded).toSorted((a, b) => ownerRank(a) - ownerRank(b)),
    passing: ofStation.filter((item) => !isNeeded(item)),
    folded: others.filter((item) => !isNeeded(item)),
  }
}

/**
 * The one card with a filled button: the first card of the person who has to act first. A silent folder only offers to
 * dismiss the alert, and nothing should invite to that.
 */
export const leadItem = (needed: readonly AttentionItem[]): AttentionItem | undefined => {
  const [first] = needed
  return needed.find(
    (item) => item.kind !== 'silence' && first !== undefined && ownerRank(item) === ownerRank(first),
  )
}

/** Whether a request can end the condition. If so, the card offers "Try now". */
export const canTryNow = (code: string): boolean => {
  const name = conditionWithCode(code)
  if (name === null || conditionCodeOf(code)?.isEndedByDelay === true) return false
  const probe = probeOf(name, code)
  return probe === 'request' || probe === 'part'
}
