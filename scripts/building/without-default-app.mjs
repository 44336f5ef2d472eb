import { rm } from 'node:fs/promises'
import path from 'node:path'

/**
 * Called by electron-builder, which leaves an Electron that it was given unpacked as it is: Electron's own demo app then
 * stays in the package. The fuses keep it from running; it has no business there.
 *
 * @param {{ appOutDir: string, electronPlatformName: string }} context
 */
export const afterExtract = ({ appOutDir, electronPlatformName }) => {
  const resources =
    electronPlatformName === 'darwin' ? path.join('Electron.app', 'Contents', 'Resources') : 'resources'
  return rm(path.join(appOutDir, resources, 'default_app.asar'), { force: true })
}
