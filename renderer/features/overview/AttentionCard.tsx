import type { ReactNode } from 'react'
import type { Owner } from '../../../shared/words/words.ts'
import { OwnerTag } from '../../components/OwnerTag.tsx'
import './attention.css'

type Props = {
  readonly title: ReactNode
  /** Null if there is no problem to solve. */
  readonly owner: Owner | null
  /** The advice for the user, or the next step of Sluice. */
  readonly next: ReactNode
  /** Secondary facts after the advice: the recordings, the folder, the request ID. */
  readonly facts?: ReactNode
  readonly actions?: ReactNode
}

/** Shows a problem in two lines: its sentence, then who has to act and how. */
export function AttentionCard({ title, owner, next, facts, actions }: Props) {
  return (
    <article className={`attention attention-${owner ?? 'nobody'}`}>
      <div className="attention-body">
        <p className="attention-title selectable">{title}</p>
        <p className="attention-next">
          {owner !== null && <OwnerTag owner={owner} />} {next}{' '}
          {facts !== undefined && <span className="attention-facts quiet">{facts}</span>}
        </p>
      </div>
      {actions !== undefined && actions !== false && <div className="row attention-actions">{actions}</div>}
    </article>
  )
}
