import { execFile } from 'node:child_process'

/**
 * Whether the desktop shows tray icons. GNOME does not, and Electron does not report it. So on Linux, Sluice asks the
 * session bus. If the bus does not answer, Sluice assumes that there is no tray.
 */
export const hasTrayHost = (platform: NodeJS.Platform): Promise<boolean> => {
  if (platform !== 'linux') return Promise.resolve(true)
  return new Promise((resolve) => {
    execFile(
      '/usr/bin/dbus-send',
      [
        '--session',
        '--print-reply',
        '--dest=org.freedesktop.DBus',
        '/org/freedesktop/DBus',
        'org.freedesktop.DBus.NameHasOwner',
        'string:org.kde.StatusNotifierWatcher',
      ],
      { timeout: 2_000 },
      (error, stdout) => resolve(error === null && stdout.includes('boolean true')),
    )
  })
}
