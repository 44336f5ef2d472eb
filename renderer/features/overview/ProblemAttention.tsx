import { problemNeedsAttention } from '../../../shared/status/problem.ts'
import type { ProblemGroup } from '../../../shared/status/status.ts'
import { plural, timeInSentence } from '../../../shared/words/format.ts'
import { ownerOf, splitDetail } from '../../../shared/words/words.ts'
import { CopyValue } from '../../components/CopyValue.tsx'
import { nextCheckSentence } from '../../components/hold-words.ts'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'
import { AttentionCard } from './AttentionCard.tsx'
import { mayClearSoon } from './attention.ts'
import { type NamedTitle, namedTitle } from './named-title.ts'
import { ProblemActions } from './ProblemActions.tsx'

type Props = {
  readonly group: ProblemGroup
  readonly isOfStation: boolean
  readonly since: string | null
  readonly hasFilledButton: boolean
  readonly goTo: (place: Place) => void
}

/** A title with the name of the affected folder or recording: "Folder CARD-04 cannot be found." */
function Title({ named: { before, name, after } }: { readonly named: NamedTitle }) {
  // `bdi` isolates the name, which may be written right to left.
  return (
    <>
      {before}
      <bdi>{name}</bdi>
      {after}
    </>
  )
}

/** What the problem affects: the path of the folder, or the number of recordings. */
function Extent({ group: { count, folder } }: Pick<Props, 'group'>) {
  if (folder !== undefined) return <span className="selectable">{folder}</span>
  return <span>{plural(count, 'recording')}</span>
}

export function ProblemAttention({ group, isOfStation, since, hasFilledButton, goTo }: Props) {
  const now = useNow()
  const { problem } = group
  const clearsByItself = !problemNeedsAttention(problem)
  const { plain, detail } = splitDetail(problem.sentence)
  // The title omits the technical detail of a condition that clears by itself. The facts below show it.
  const isTemporaryCondition = isOfStation && clearsByItself
  const sentence = isTemporaryCondition ? plain : problem.sentence
  const named = isOfStation ? null : namedTitle(group, sentence)
  return (
    <AttentionCard
      title={named === null ? sentence : <Title named={named} />}
      owner={ownerOf(problem)}
      next={isOfStation && mayClearSoon(problem, since, now) ? 'Nothing to do yet.' : problem.next}
      facts={
        <>
          {isTemporaryCondition && since !== null && <span>Since {timeInSentence(since, now)}</span>}
          {clearsByItself && problem.nextAt !== null && <span>{nextCheckSentence(problem.nextAt, now)}</span>}
          {isTemporaryCondition && detail !== null && <span className="selectable">{detail}</span>}
          {(group.folder !== undefined || (group.count > 0 && named === null)) && <Extent group={group} />}
          {problem.requestId !== null && <CopyValue name="request ID" value={problem.requestId} />}
        </>
      }
      actions={
        <ProblemActions
          group={group}
          isOfStation={isOfStation}
          hasFilledButton={hasFilledButton}
          goTo={goTo}
        />
      }
    />
  )
}
