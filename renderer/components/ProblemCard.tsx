import type { ReactNode } from 'react'
import { momentInSentence } from '../../shared/format.ts'
import { needsSomebody, type Problem } from '../../shared/status.ts'
import { ownerWords } from '../../shared/words.ts'
import { useCopy } from '../data/use-copy.ts'
import { useNow } from '../data/use-now.ts'
import { Button } from './Button.tsx'
import { CopyValue } from './CopyValue.tsx'
import { endingSentence, nextLookSentence, quotable } from './hold-words.ts'
import { Icon } from './Icon.tsx'

type Props = {
  readonly problem: Problem
  /** What has it: a folder, or how many recordings. */
  readonly extent?: ReactNode
  /** Since when a recording is held by it; what ends the hold is then told too. */
  readonly heldSince?: string | null
  readonly actions?: ReactNode
}

/** What is wrong, whose job it is, what happens by itself and when, and what to quote when asking. */
export function ProblemCard({ problem, extent, heldSince = null, actions }: Props) {
  const now = useNow()
  const [copied, copy] = useCopy(quotable(problem))
  const calm = !needsSomebody(problem)
  return (
    <article className={calm ? 'problem problem-calm' : 'problem'}>
      <span className={`problem-icon tone-${calm ? 'quiet' : 'warn'}`}>
        <Icon name={calm ? 'clock' : 'triangle'} size={18} />
      </span>
      <div className="problem-body">
        <p className="problem-sentence selectable">{problem.sentence}</p>
        <p>
          <span className="owner">{ownerWords[problem.owner]}</span> {problem.next}
        </p>
        {(heldSince !== null || problem.nextAt !== null) && (
          <p className="quiet">
            {heldSince !== null &&
              `Held since ${momentInSentence(heldSince, now)}. ${endingSentence(problem)} `}
            {problem.nextAt !== null && nextLookSentence(problem.nextAt, now)}
          </p>
        )}
        <p className="problem-codes quiet small">
          {extent}
          <code>{problem.code}</code>
          {problem.param !== null && (
            <span>
              param <code>{problem.param}</code>
            </span>
          )}
          {problem.requestId !== null && <CopyValue name="request id" value={problem.requestId} />}
          <Button look="quiet" size="small" icon={copied ? 'check' : 'copy'} onPress={copy}>
            {copied ? 'Copied' : 'Copy all of this'}
          </Button>
        </p>
      </div>
      {actions !== undefined && <div className="row problem-actions">{actions}</div>}
    </article>
  )
}
