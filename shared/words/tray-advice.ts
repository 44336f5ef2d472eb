import type { AppInfo } from '../ipc/ipc.ts'

/** Explains how to get a tray icon on a desktop that shows none, and how to use Sluice without one. */
export type TrayAdvice = {
  readonly sentence: string
  /** A command to paste into a terminal. Null if the desktop has a different method. */
  readonly command: string | null
  readonly instead: string
}

const INSTEAD =
  'Or leave this window open: it shows the same status. If you close it, uploads continue. To open it again, start Sluice.'

/** `XDG_CURRENT_DESKTOP` lists names separated by colons: "ubuntu:GNOME". */
const isGnome = (desktop: string | null): boolean =>
  (desktop ?? '').split(':').some((name) => name.trim().toLowerCase() === 'gnome')

/** Null if the desktop shows the icon, and on Windows and macOS. GNOME shows tray icons only with an extension. */
export const trayAdvice = ({
  system,
  hasTray,
  desktop,
}: Pick<AppInfo, 'system' | 'hasTray' | 'desktop'>): TrayAdvice | null => {
  if (hasTray || system !== 'linux') return null
  return isGnome(desktop)
    ? {
        sentence:
          'GNOME does not show tray icons. To see Sluice’s icon, install the extension AppIndicator and log in again. On Debian and Ubuntu:',
        command: 'sudo apt install gnome-shell-extension-appindicator',
        instead: INSTEAD,
      }
    : {
        sentence: 'This desktop shows no tray icons. To see Sluice’s icon, add a system tray to its panel.',
        command: null,
        instead: INSTEAD,
      }
}
