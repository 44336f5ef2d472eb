import { existsSync } from 'node:fs'
import path from 'node:path'
import { systemOf } from '../../../shared/ipc/system.ts'
import { writeDurably } from '../../local-files/durable-file.ts'
import { hidingNotice } from './hidden-window-notice.ts'
import type { Notice } from './notify-decision.ts'

type Options = {
  readonly dataFolder: string
  /** Asked when it matters: at login the panel may come after the app. */
  readonly hasTray: () => Promise<boolean>
  readonly show: (notice: Notice) => void
}

/**
 * Tells whoever closes the window that the station goes on: once for good where an icon shows that Sluice is still there,
 * and once per run where none does.
 */
export const tellOfHiding = ({ dataFolder, hasTray, show }: Options): (() => Promise<void>) => {
  const told = path.join(dataFolder, 'told-of-hiding')
  let isTold = false
  return async () => {
    if (isTold) return
    isTold = true
    const isInTray = await hasTray()
    const notice = hidingNotice(systemOf(process.platform), isInTray)
    if (notice === null || (isInTray && existsSync(told))) return
    show(notice)
    try {
      if (isInTray) writeDurably(told, '')
    } catch {
      // A full disk: it is told once more.
    }
  }
}
