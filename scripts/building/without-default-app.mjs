import { rm } from 'node:fs/promises'
import path from 'node:path'

/**
 * Removes Electron's demo app from the package. electron-builder leaves the demo app there if it gets an unpacked Electron.
 * Electron's fuses already keep it from running.
 *
 * @param {{ appOutDir: string, electronPlatformName: string }} context
 */
export const afterExtract = ({ appOutDir, electronPlatformName }) => {
  const resources =
    electronPlatformName === 'darwin' ? path.join('Electron.app', 'Contents', 'Resources') : 'resources'
  return rm(path.join(appOutDir, resources, 'default_app.asar'), { force: true })
}
