import { type ReactNode, useId } from 'react'

type Props = {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

export function Card({ title, aside, children, className = '' }: Props) {
  const titleId = useId()
  return (
    <section className={`card ${className}`} aria-labelledby={titleId}>
      <header className="card-head">
        <h2 id={titleId}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
