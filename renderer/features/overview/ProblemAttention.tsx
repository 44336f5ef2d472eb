import { type ProblemGroup, problemNeedsAttention } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { ownerOf, splitDetail } from '../../../shared/words/words.ts'
import { CopyValue } from '../../components/CopyValue.tsx'
import { nextCheckSentence } from '../../components/hold-words.ts'
import { useNow } from '../../data/use-now.ts'
import type { Place } from '../../navigation.ts'
import { AttentionCard } from './AttentionCard.tsx'
import { ProblemActions } from './ProblemActions.tsx'

type Props = {
  readonly group: ProblemGroup
  readonly isOfStation: boolean
  readonly goTo: (place: Place) => void
}

/** The folder, the only recording, or the number of recordings. */
function Extent({ group: { count, folder, examples } }: Pick<Props, 'group'>) {
  const [first] = examples
  if (folder !== undefined) return <span className="selectable">{folder}</span>
  if (count === 0) return null
  // Isolated: a name may be written right to left.
  return count === 1 && first !== undefined ? (
    <bdi className="selectable">{first.name}</bdi>
  ) : (
    <span>{plural(count, 'recording')}</span>
  )
}

export function ProblemAttention({ group, isOfStation, goTo }: Props) {
  const now = useNow()
  const { problem } = group
  const isPassing = !problemNeedsAttention(problem)
  const { plain, detail } = splitDetail(problem.sentence)
  // If a problem clears by itself, the technician does not need the address or the code in the title. The facts show them.
  const isQuiet = isOfStation && isPassing
  return (
    <AttentionCard
      title={isQuiet ? plain : problem.sentence}
      owner={ownerOf(problem)}
      next={problem.next}
      facts={
        <>
          {isPassing && problem.nextAt !== null && <span>{nextCheckSentence(problem.nextAt, now)}</span>}
          {isQuiet && detail !== null && <span className="selectable">{detail}</span>}
          <Extent group={group} />
          {problem.requestId !== null && <CopyValue name="request ID" value={problem.requestId} />}
        </>
      }
      actions={<ProblemActions group={group} isOfStation={isOfStation} goTo={goTo} />}
    />
  )
}
