import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react'
import { useShortcut } from '../data/shortcuts.ts'
import { Button } from './Button.tsx'
import './side-pane.css'

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode }

/**
 * A pane next to the list, or over it in a narrow window. Escape closes the pane, except while the focus is in a text
 * field, or a dialog or menu is open.
 */
export function SidePane({ title, onClose, children }: Props) {
  const titleId = useId()
  const pane = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)

  // Returns the focus to the element that opened the pane. An ordinary effect would run after the pane is gone.
  useLayoutEffect(() => {
    const opener = document.activeElement
    const paneElement = pane.current
    return () => {
      if (paneElement?.contains(document.activeElement) && opener instanceof HTMLElement) opener.focus()
    }
  }, [])

  // In a narrow window, the pane covers the focused element, so the pane takes the focus.
  useEffect(() => {
    if (matchMedia('(max-width: 980px)').matches) heading.current?.focus()
  }, [])

  useShortcut({ key: 'Escape' }, onClose)

  return (
    <aside ref={pane} className="side-pane" aria-labelledby={titleId}>
      <header className="side-pane-head">
        <h2 id={titleId} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <Button look="quiet" size="small" icon="close" label="Close details" onPress={onClose} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <section className="side-pane-body" tabIndex={0} aria-label="Details">
        {children}
      </section>
    </aside>
  )
}
