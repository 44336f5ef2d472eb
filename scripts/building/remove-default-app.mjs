import { rm } from 'node:fs/promises'
import path from 'node:path'

/**
 * Removes Electron's demo app from the package. electron-builder keeps the demo app if it gets an unpacked Electron. Even
 * without this removal, Electron's fuses would prevent the demo app from running.
 *
 * @param {{ appOutDir: string, electronPlatformName: string }} context
 */
export const afterExtract = ({ appOutDir, electronPlatformName }) => {
  const resources =
    electronPlatformName === 'darwin' ? path.join('Electron.app', 'Contents', 'Resources') : 'resources'
  return rm(path.join(appOutDir, resources, 'default_app.asar'), { force: true })
}
