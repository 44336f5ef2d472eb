import { type System, systemWords } from '../../../shared/ipc/system.ts'
import type { Notice } from './notice.ts'

/**
 * Explains that uploads continue without the window. On macOS, users of an app with an icon in the menu bar expect
 * this, so they get no notice.
 */
export const hiddenWindowNotice = (system: System, hasTray: boolean): Notice | null => {
  if (hasTray && system === 'macos') return null
  const reopenHint = hasTray
    ? `Open it from the icon in the ${systemWords[system].tray}.`
    : 'Start Sluice again to open it.'
  return {
    title: 'Sluice keeps running',
    body: `Uploads continue without the window. ${reopenHint}`,
    to: 'overview',
  }
}
