import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

/**
 * Trims the copy of Electron before the app is added. electron-builder calls it.
 *
 * @param {{ appOutDir: string, electronPlatformName: string }} context
 */
export const afterExtract = async ({ appOutDir, electronPlatformName }) => {
  // electron-builder keeps Electron's demo app if it gets an unpacked Electron. Even without this removal, Electron's fuses
  // would prevent the demo app from running.
  const resources =
    electronPlatformName === 'darwin' ? path.join('Electron.app', 'Contents', 'Resources') : 'resources'
  await rm(path.join(appOutDir, resources, 'default_app.asar'), { force: true })
  if (electronPlatformName !== 'linux') return
  // 20 MB of text that becomes 1 MB. Windows cannot open a compressed text.
  const licences = path.join(appOutDir, 'LICENSES.chromium.html')
  await writeFile(`${licences}.gz`, gzipSync(await readFile(licences), { level: 9 }))
  await rm(licences)
}
