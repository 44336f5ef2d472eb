import { execFile } from 'node:child_process'

/**
 * GNOME has no tray and Electron does not tell. On Linux the session bus knows whether anything shows tray
 * icons; where it cannot be asked, there is none to rely on.
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
