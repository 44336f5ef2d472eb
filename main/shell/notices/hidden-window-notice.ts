import { type System, systemWords } from '../../../shared/ipc/system.ts'
import type { Notice } from './notify-decision.ts'

/** Explains that uploads continue without the window. Macs need no notice: there, closing a window never ends an app. */
export const hiddenWindowNotice = (system: System, hasTray: boolean): Notice | null => {
  if (hasTray && system === 'macos') return null
  const back = hasTray
    ? `Open it from the icon in the ${systemWords[system].tray}.`
    : 'Start Sluice again to open it.'
  return {
    title: 'Sluice keeps running',
    body: `Uploads continue without the window. ${back}`,
    to: 'overview',
  }
}
