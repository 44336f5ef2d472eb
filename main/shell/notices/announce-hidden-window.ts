import { existsSync } from 'node:fs'
import path from 'node:path'
import { systemOf } from '../../../shared/ipc/system.ts'
import { writeDurably } from '../../local-files/durable-file.ts'
import { hiddenWindowNotice } from './hidden-window-notice.ts'
import type { Notice } from './notice.ts'

type Options = {
  readonly dataFolder: string
  /** Queried when needed: at login, the desktop's tray may start after the app. */
  readonly hasTray: () => Promise<boolean>
  readonly show: (notice: Notice) => void
}

/**
 * Announces that uploads continue after the window closes. If Sluice has a tray icon, the notice appears once per data
 * folder. Otherwise it appears once per run.
 */
export const announceHiddenWindow = ({ dataFolder, hasTray, show }: Options): (() => Promise<void>) => {
  const flagFile = path.join(dataFolder, 'hidden-window-announced')
  let hasAnnounced = false
  return async () => {
    if (hasAnnounced) return
    hasAnnounced = true
    const isInTray = await hasTray()
    const notice = hiddenWindowNotice(systemOf(process.platform), isInTray)
    if (notice === null || (isInTray && existsSync(flagFile))) return
    show(notice)
    try {
      if (isInTray) writeDurably(flagFile, '')
    } catch {
      // The disk may be full. The next run shows the notice again.
    }
  }
}
