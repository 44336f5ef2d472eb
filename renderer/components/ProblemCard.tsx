import type { ReactNode } from 'react'
import { momentInSentence } from '../../shared/format.ts'
import type { Problem } from '../../shared/status.ts'
import { ownerWords } from '../../shared/words.ts'
import { useNow } from '../data/use-now.ts'
import { CopyValue } from './CopyValue.tsx'
import { Icon } from './Icon.tsx'

type Props = {
  readonly problem: Problem
  /** What has it: a folder, or how many recordings. */
  readonly extent?: ReactNode
  readonly actions?: ReactNode
}

/** What is wrong, whose job it is, what happens by itself and when, and what to quote when asking. */
export function ProblemCard({ problem, extent, actions }: Props) {
  const now = useNow()
  return (
    <article className="problem">
      <span className="problem-icon tone-warn">
        <Icon name="triangle" size={18} />
      </span>
      <div className="problem-body">
        <p className="problem-sentence">{problem.sentence}</p>
        <p>
          <span className="owner">{ownerWords[problem.owner]}</span> {problem.next}
          {problem.nextAt !== null && (
            <span className="quiet"> Next try {momentInSentence(problem.nextAt, now)}.</span>
          )}
        </p>
        <p className="problem-codes quiet small">
          {extent}
          <code>{problem.code}</code>
          {problem.requestId !== null && <CopyValue name="request id" value={problem.requestId} />}
        </p>
      </div>
      {actions !== undefined && <div className="row problem-actions">{actions}</div>}
    </article>
  )
}
