import type { ReactNode } from 'react'
import { needsSomebody, type Problem } from '../../shared/status.ts'
import { ownerOf, ownerWords } from '../../shared/words.ts'
import { useCopy } from '../data/use-copy.ts'
import { useNow } from '../data/use-now.ts'
import { Button } from './Button.tsx'
import { CopyValue } from './CopyValue.tsx'
import { heldSentence, nextLookSentence, quotable } from './hold-words.ts'
import { Icon } from './Icon.tsx'

function CopyAll({ problem }: { readonly problem: Problem }) {
  const [copied, copy] = useCopy(quotable(problem))
  return (
    <div className="problem-copy">
      <Button
        look={ownerOf(problem) === 'service' ? 'primary' : 'quiet'}
        size="small"
        icon={copied ? 'check' : 'copy'}
        onPress={copy}
      >
        {copied ? 'Copied' : 'Copy for support'}
      </Button>
    </div>
  )
}

type Props = {
  readonly problem: Problem
  /** What has it: a folder, or how many recordings. */
  readonly extent?: ReactNode
  readonly actions?: ReactNode
  /** Of one recording: what ends it, since when it is held (if it is and not at its end), and all of it to copy. */
  readonly ofRecording?: { readonly heldSince: string | null }
}

/** What is wrong, whose job it is, what happens by itself and when, and what to quote when asking. */
export function ProblemCard({ problem, extent, actions, ofRecording }: Props) {
  const now = useNow()
  const calm = !needsSomebody(problem)
  const heldSince = ofRecording?.heldSince ?? null
  const nextLook = problem.nextAt === null ? null : nextLookSentence(problem.nextAt, now)
  return (
    <article className={calm ? 'problem problem-calm' : 'problem'}>
      <span className={`problem-icon tone-${calm ? 'quiet' : 'warn'}`}>
        <Icon name={calm ? 'clock' : 'triangle'} size={18} />
      </span>
      <div className="problem-body">
        <p className="problem-sentence selectable">{problem.sentence}</p>
        <p>
          <span className="owner">{ownerWords[ownerOf(problem)].label}</span> {problem.next}
          {heldSince === null && nextLook !== null && <span className="quiet"> {nextLook}</span>}
        </p>
        {heldSince !== null && (
          <p className="quiet">
            {heldSentence(problem, heldSince, now)} {nextLook}
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
        </p>
        {ofRecording !== undefined && <CopyAll problem={problem} />}
      </div>
      {actions !== undefined && <div className="row problem-actions">{actions}</div>}
    </article>
  )
}
