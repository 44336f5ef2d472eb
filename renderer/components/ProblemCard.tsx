import type { ReactNode } from 'react'
import { type Problem, problemNeedsAttention } from '../../shared/status/problem.ts'
import { ownerOf } from '../../shared/words/words.ts'
import { useNow } from '../data/use-now.ts'
import { useSupportText } from '../data/use-support-text.ts'
import { CopyForSupport } from './CopyForSupport.tsx'
import { CopyValue } from './CopyValue.tsx'
import { heldSentence, nextCheckSentence } from './hold-words.ts'
import { Icon } from './Icon.tsx'
import { OwnerTag } from './OwnerTag.tsx'

type Props = {
  readonly problem: Problem
  /** What the problem affects: a folder, or a number of recordings. */
  readonly extent?: ReactNode
  readonly actions?: ReactNode
  /** For the support text: the number of recordings with the problem, and some of their IDs. */
  readonly affectedRecordings?: { readonly count: number; readonly ids: readonly number[] }
  readonly folder?: string | undefined
  /** On the card of a single recording: when its hold started. Null if the recording is not on hold. */
  readonly heldSince?: string | null
}

/** Shows a problem, who has to act, the next step with its time, and the codes for support. */
export function ProblemCard({
  problem,
  extent,
  actions,
  affectedRecordings,
  folder,
  heldSince = null,
}: Props) {
  const makeSupportText = useSupportText()
  const now = useNow()
  const isCalm = !problemNeedsAttention(problem)
  const nextCheck = problem.nextAt === null ? null : nextCheckSentence(problem.nextAt, now)
  return (
    <article className={isCalm ? 'problem problem-calm' : 'problem'}>
      <span className={`problem-icon tone-${isCalm ? 'quiet' : 'warn'}`}>
        <Icon name={isCalm ? 'clock' : 'triangle'} size={18} />
      </span>
      <div className="problem-body">
        <p className="problem-sentence selectable">{problem.sentence}</p>
        <p>
          <OwnerTag owner={ownerOf(problem)} /> {problem.next}
          {heldSince === null && nextCheck !== null && <span className="quiet"> {nextCheck}</span>}
        </p>
        {heldSince !== null && (
          <p className="quiet">
            {heldSentence(problem, heldSince, now)} {nextCheck}
          </p>
        )}
        <p className="problem-codes quiet small">
          {extent}
          <code>{problem.code}</code>
          {problem.param !== null && <span className="mono">param {problem.param}</span>}
          {problem.requestId !== null && <CopyValue name="request ID" value={problem.requestId} />}
        </p>
        <div className="problem-copy">
          <CopyForSupport
            text={() =>
              makeSupportText({
                problem,
                folder: folder ?? null,
                ...(affectedRecordings ?? { count: 0, ids: [] }),
              })
            }
            look={ownerOf(problem) === 'service' ? 'primary' : 'quiet'}
          />
        </div>
      </div>
      {actions !== undefined && <div className="row problem-actions">{actions}</div>}
    </article>
  )
}
