import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'

type Props = {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly actions: ReactNode
  readonly role?: 'dialog' | 'alertdialog'
  readonly isWide?: boolean
  /** For a dialog that contains only text: makes its scrollable area reachable by keyboard. */
  readonly isTextOnly?: boolean
}

export function Dialog(props: Props) {
  const {
    title,
    isOpen,
    onClose,
    children,
    actions,
    role = 'dialog',
    isWide = false,
    isTextOnly = false,
  } = props
  return (
    // A click outside does not close the dialog, because typed input would be lost. Escape closes it.
    <ModalOverlay className="scrim" isOpen={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Modal className={isWide ? 'modal modal-wide' : 'modal'}>
        <AriaDialog role={role} className="dialog">
          <Heading slot="title" level={2} className="dialog-title">
            {title}
          </Heading>
          <div
            className="dialog-body stack"
            {...(isTextOnly ? { tabIndex: 0, role: 'group', 'aria-label': title } : {})}
          >
            {children}
          </div>
          <div className="dialog-actions">{actions}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
