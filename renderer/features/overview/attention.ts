import { conditionCodeOf, conditionWithCode, probeOf } from '../../../shared/status/conditions.ts'
import type { DriveSpace } from '../../../shared/status/free-space.ts'
import { type Problem, problemNeedsAttention } from '../../../shared/status/problem.ts'
import { problemOwners } from '../../../shared/status/problem-terms.ts'
import type {
  FolderStatus,
  ProblemGroup,
  Silence,
  Status,
  TakeToCheck,
} from '../../../shared/status/status.ts'

type AttentionInput = Pick<Status, 'driveSpace' | 'problems' | 'takesToCheck'> & {
  readonly station: Pick<Status['station'], 'conditions' | 'paused'>
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
  | { readonly kind: 'low-drive'; readonly drive: DriveSpace }
  | { readonly kind: 'silence'; readonly path: string; readonly silence: Silence }
  | { readonly kind: 'take'; readonly take: TakeToCheck }

export type AttentionItems = {
  /** What a person must solve, sorted by owner: technician, administrator, support. */
  readonly needed: readonly AttentionItem[]
  /** True if uploads are paused and there are `needed` or `temporary` items. The pause then gets its own card. */
  readonly showsPause: boolean
  /** Conditions of the station that clear by themselves, such as a lost network. */
  readonly temporary: readonly AttentionItem[]
  /** Problems of folders and recordings that need no attention. Most of them clear by themselves. */
  readonly folded: readonly AttentionItem[]
}

const isGroupOf = (condition: ProblemGroup['problem']) => (group: ProblemGroup) =>
  group.folder === undefined && group.problem.code === condition.code

const ownerRank = (item: AttentionItem): number =>
  item.kind === 'problem' ? problemOwners.indexOf(item.group.problem.owner) : 0

/** Merges a condition with the group of recordings that it holds back, so that the page shows the problem once. */
export const attentionItems = ({
  driveSpace,
  problems,
  station,
  folders,
  takesToCheck,
}: AttentionInput): AttentionItems => {
  const stationItems = station.conditions.map((problem): AttentionItem => {
    const group = problems.find(isGroupOf(problem))
    return {
      kind: 'problem',
      group: { count: 0, examples: [], ...group, problem },
      isOfStation: true,
      since: problem.since ?? null,
    }
  })
  const lowDrives = driveSpace
    .filter(({ low }) => low)
    .map((drive): AttentionItem => ({ kind: 'low-drive', drive }))
  const silences = folders.flatMap(({ path, silence }): AttentionItem[] =>
    silence === null ? [] : [{ kind: 'silence', path, silence }],
  )
  const takes = takesToCheck.newest.map((take): AttentionItem => ({ kind: 'take', take }))
  const otherItems = problems
    .filter((group) => !station.conditions.some((condition) => isGroupOf(condition)(group)))
    .map((group): AttentionItem => ({ kind: 'problem', group, isOfStation: false, since: null }))
  const isNeeded = (item: AttentionItem) =>
    item.kind !== 'problem' || problemNeedsAttention(item.group.problem)
  const all = [...stationItems, ...lowDrives, ...takes, ...silences, ...otherItems]
  const needed = all.filter(isNeeded).toSorted((a, b) => ownerRank(a) - ownerRank(b))
  const temporary = stationItems.filter((item) => !isNeeded(item))
  return {
    needed,
    showsPause: station.paused && needed.length + temporary.length > 0,
    temporary,
    folded: otherItems.filter((item) => !isNeeded(item)),
  }
}

/**
 * Returns the item whose card has the only filled button. It is the first item for the technician, who usually sees
 * this window. On a card for the administrator, a filled button would invite the technician to press it. On the card of
 * a silent folder, a filled button would encourage the technician to dismiss the alert.
 */
export const leadItem = (needed: readonly AttentionItem[]): AttentionItem | undefined =>
  needed.find((item) => item.kind !== 'silence' && ownerRank(item) === 0)

/** Network and service often return by themselves within this time, so nobody needs to act earlier. */
const SHORT_CONDITION_MS = 10 * 60_000

/**
 * True if the problem began a short time ago, clears by itself and is not for support. The user then needs no advice
 * yet.
 */
export const mayClearSoon = (
  { owner, endsBy }: Pick<Problem, 'owner' | 'endsBy'>,
  since: string | null,
  nowMs: number,
): boolean =>
  endsBy === 'time' && owner !== 'service' && since !== null && nowMs - Date.parse(since) < SHORT_CONDITION_MS

/** True if a request can end the condition. The card then offers "Try now". */
export const canTryNow = (code: string): boolean => {
  const name = conditionWithCode(code)
  if (name === null || conditionCodeOf(code)?.isEndedByDelay === true) return false
  const probe = probeOf(name, code)
  return probe === 'request' || probe === 'part'
}
