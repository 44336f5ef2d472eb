import type { ReactNode } from 'react'

type Props = {
  readonly title: string
  readonly intro?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** True for a list, which scrolls inside the screen. False for a form: the whole screen scrolls. */
  readonly fillsWindow?: boolean
}

export function Screen({ title, intro, actions, children, fillsWindow = false }: Props) {
  return (
    <section className={fillsWindow ? 'screen screen-fill' : 'screen'} aria-labelledby="screen-title">
      <header className="screen-head">
        <div className="screen-titles">
          <h1 id="screen-title" tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p className="quiet">{intro}</p>}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
