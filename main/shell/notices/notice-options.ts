import type { NotificationConstructorOptions } from 'electron'
import type { System } from '../../../shared/ipc/system.ts'
import { escapeText } from '../../../shared/words/escape-text.ts'
import type { Notice } from './notify-decision.ts'

const buttonWord = (to: string): string => {
  if (to.startsWith('recordings/')) return 'Show recording'
  if (to.startsWith('recordings')) return 'Show recordings'
  return to === 'folders' ? 'Show folders' : 'Open Sluice'
}

/**
 * Electron writes Windows' XML itself and escapes what XML knows. Control characters and what is no character at all
 * XML does not know, and a file's name may have them: the whole notification would be dropped.
 */
const forXml = (text: string): string => escapeText(text).replace(/[\ufffe\uffff]/g, '\ufffd')

/** Linux reads the body as markup, links and pictures included, and Electron hands it over as it is. */
const withoutMarkup = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›')

/** Electron has buttons for Windows and macOS; elsewhere a click is all there is. */
export const noticeOptions = (
  system: System,
  { title, body, to }: Notice,
): NotificationConstructorOptions => ({
  title: forXml(title),
  body: system === 'linux' ? withoutMarkup(forXml(body)) : forXml(body),
  ...(system === 'linux' ? {} : { actions: [{ type: 'button', text: buttonWord(to) }] }),
})

/** One that only left the screen is still in Windows' list of notifications, and can be clicked there. */
export const canStillBeClicked = (system: System, closedBecause: string | undefined): boolean =>
  system === 'windows' && closedBecause === 'timedOut'
