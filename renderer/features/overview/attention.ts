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
  /** What a person must solve: first the technician's items, then the administrator's, then support's. */
  readonly needed: readonly AttentionItem[]
  /** True if uploads are paused and `needed` or `temporary` has items. The pause then has a card of its own. */
  readonly showsPause: boolean
  /** Conditions of the station that clear by themselves, such as a lost network. */
  readonly temporary: readonly AttentionItem[]
  /**
   * Problems of folders and recordings that need no attention: they clear by themselves, or an administrator removed
   * the folder from the settings.
   */
  readonly folded: readonly AttentionItem[]
}

const isGroupOf = (condition: ProblemGroup['problem']) => (group: ProblemGroup) =>
  group.folder === undefined && group.problem.code === condition.code

const ownerRank = (item: AttentionItem): number =>
  item.kind === 'problem' ? problemOwners.indexOf(item.group.problem.owner) : 0

/** Merges a condition with the group of recordings that wait for its end, so that the page shows the problem once. */
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
 * The only card with a filled button: the first card for the technician, who usually sees this window. A filled button
 * on the administrator's card would invite the technician to press it. The card of a silent folder never has one: its
 * only button dismisses the alert, and a filled button would encourage that.
 */
export const leadItem = (needed: readonly AttentionItem[]): AttentionItem | undefined =>
  needed.find((item) => item.kind !== 'silence' && ownerRank(item) === 0)

/** Network and service often return by themselves within this time, so nobody has to act earlier. */
const SHORT_CONDITION_MS = 10 * 60_000

/**
 * True if the problem clears by itself, began a short time ago, and is not for support. The user does not need its
 * advice yet.
 */
export const mayClearSoon = (
  { owner, endsBy }: Pick<Problem, 'owner' | 'endsBy'>,
  since: string | null,
  nowMs: number,
): boolean =>
  endsBy === 'time' && owner !== 'service' && since !== null && nowMs - Date.parse(since) < SHORT_CONDITION_MS

/** True if a request sent now can end the condition. The card then offers "Try now". */
export const canTryNow = (code: string): boolean => {
  const name = conditionWithCode(code)
  if (name === null || conditionCodeOf(code)?.isEndedByDelay === true) return false
  const probe = probeOf(name, code)
  return probe === 'request' || probe === 'part'
}
