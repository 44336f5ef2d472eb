import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react'
import { Button } from './Button.tsx'
import './side-pane.css'

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode }

/** Beside the list where there is room, over it where there is not. Escape closes it. */
export function SidePane({ title, onClose, children }: Props) {
  const titleId = useId()
  const pane = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)

  // Goes back to what opened the pane. In a layout effect, because later the pane is gone and the focus with it.
  useLayoutEffect(() => {
    const opener = document.activeElement
    const own = pane.current
    return () => {
      if (own?.contains(document.activeElement) && opener instanceof HTMLElement) opener.focus()
    }
  }, [])

  // Over the list (narrow window) the pane hides what had the focus, so it takes it; beside the list it does not.
  useEffect(() => {
    if (matchMedia('(max-width: 980px)').matches) heading.current?.focus()
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }

  return (
    <aside ref={pane} className="side-pane" aria-labelledby={titleId} onKeyDown={onKeyDown}>
      <header className="side-pane-head">
        <h2 id={titleId} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <Button look="quiet" size="small" icon="close" label="Close details" onPress={onClose} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="side-pane-body" tabIndex={0} aria-label="Details">
        {children}
      </section>
    </aside>
  )
}
