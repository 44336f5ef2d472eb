import type { NotificationConstructorOptions } from 'electron'
import type { System } from '../../../shared/ipc/system.ts'
import { escapeText } from '../../../shared/words/escape-text.ts'
import type { Notice } from './notice.ts'

const buttonLabel = (to: string): string => {
  if (to.startsWith('recordings/')) return 'Show recording'
  if (to.startsWith('recordings')) return 'Show recordings'
  return to === 'folders' ? 'Show folders' : 'Open Sluice'
}

/**
 * Electron escapes texts for the XML of Windows, but XML allows no control characters and no non-characters. If a file
 * name contains one, Windows would drop the whole notification.
 */
const toXmlText = (text: string): string => escapeText(text).replace(/[\ufffe\uffff]/g, '\ufffd')

/** Linux desktops interpret the body as markup, including links and images, and Electron does not escape it. */
const replaceMarkup = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›')

/** Electron supports buttons on Windows and macOS only. */
export const noticeOptions = (
  system: System,
  { title, body, to }: Notice,
): NotificationConstructorOptions => ({
  title: toXmlText(title),
  body: system === 'linux' ? replaceMarkup(toXmlText(body)) : toXmlText(body),
  ...(system === 'linux' ? {} : { actions: [{ type: 'button', text: buttonLabel(to) }] }),
})

/** A notification that timed out stays in Windows' notification list and can still be clicked. */
export const canStillBeClicked = (system: System, closeReason: string | undefined): boolean =>
  system === 'windows' && closeReason === 'timedOut'
