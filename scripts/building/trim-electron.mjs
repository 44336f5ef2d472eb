import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipOf } from './zip.mjs'

/** Shader compilers for WebGPU, which Sluice does not use. */
const WEBGPU_LIBRARIES = ['dxcompiler.dll', 'dxil.dll']
const LICENCES = 'LICENSES.chromium.html'

/**
 * Trims the copy of Electron. electron-builder calls this function before it adds the app.
 *
 * @param {{ appOutDir: string, electronPlatformName: string }} context
 */
export const afterExtract = async ({ appOutDir, electronPlatformName }) => {
  // Remove Electron's demo app, which electron-builder leaves in an unpacked Electron. Our fuses make it useless.
  const resources =
    electronPlatformName === 'darwin' ? path.join('Electron.app', 'Contents', 'Resources') : 'resources'
  await rm(path.join(appOutDir, resources, 'default_app.asar'), { force: true })
  if (electronPlatformName === 'darwin') return
  for (const name of WEBGPU_LIBRARIES) await rm(path.join(appOutDir, name), { force: true })
  // Compress 20 MB of text to 1 MB.
  const licences = path.join(appOutDir, LICENCES)
  const text = await readFile(licences)
  if (electronPlatformName === 'linux') await writeFile(`${licences}.gz`, gzipSync(text, { level: 9 }))
  // Not every version of Windows opens a .gz.
  else await writeFile(`${licences}.zip`, zipOf(LICENCES, text))
  await rm(licences)
}
