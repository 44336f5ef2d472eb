import { type BrowserWindow, dialog } from 'electron'

export type Question = {
  readonly message: string
  readonly detail: string
  /** The label of the button that confirms. */
  readonly confirmLabel: string
}

export type AskUser = (question: Question) => Promise<boolean>

const CANCEL = 0
const CONFIRM = 1

/**
 * Asks in a native dialog, which the page can neither draw nor answer. Enter and Escape cancel. Returns false without a
 * dialog while another question is open, or while the window is hidden: no user can have started the action then.
 */
export const askInDialog = (window: () => BrowserWindow): AskUser => {
  let isAsking = false
  return async ({ message, detail, confirmLabel }) => {
    const parent = window()
    if (isAsking || !parent.isVisible()) return false
    isAsking = true
    try {
      const { response } = await dialog.showMessageBox(parent, {
        type: 'warning',
        title: 'Sluice',
        message,
        detail,
        buttons: ['Cancel', confirmLabel],
        defaultId: CANCEL,
        cancelId: CANCEL,
        noLink: true,
      })
      return response === CONFIRM
    } finally {
      isAsking = false
    }
  }
}
