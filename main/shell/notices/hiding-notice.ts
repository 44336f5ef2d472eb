import { type System, systemWords } from '../../../shared/system.ts'
import type { Notice } from './notify-decision.ts'

/** That the station goes on without its window. Nobody on macOS expects that closing one would end an app. */
export const hidingNotice = (system: System, hasTray: boolean): Notice | null => {
  if (hasTray && system === 'macos') return null
  const back = hasTray
    ? `Its icon in the ${systemWords[system].tray} shows it again.`
    : 'Start Sluice again to show it.'
  return {
    title: 'Sluice keeps running',
    body: `Uploads continue without the window. ${back}`,
    to: 'overview',
  }
}
