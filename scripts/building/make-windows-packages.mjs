import { mkdtemp, readFile, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { log } from '../launcher/command.mjs'
import { ROOT } from '../launcher/project.mjs'
import { makeMsi } from './make-msi.mjs'
import { makeNsis } from './make-nsis.mjs'
import { filesIn } from './windows-package.mjs'
import { windowsSigner } from './windows-signing.mjs'

/**
 * Makes the NSIS installer and the MSI. Signs them and the app if `signing` contains a certificate or a key.
 *
 * @param {{
 *   app: string, folder: string, version: string, isForTests: boolean, isRelease: boolean, signing: NodeJS.ProcessEnv,
 *   can: (kind: 'nsis' | 'msi') => boolean,
 * }} options `can`: whether this computer has the tools for a kind of package
 * @returns {Promise<string[]>} the paths of the packages
 */
export const makeWindowsPackages = async ({ app, folder, version, isForTests, isRelease, signing, can }) => {
  const work = await mkdtemp(path.join(tmpdir(), 'sluice-win-'))
  const signer = await windowsSigner(signing)
  if (signer === null && isRelease)
    log('the packages for Windows are not signed: SLUICE_WINDOWS_CERTIFICATE is not set.')
  try {
    await signer?.sign(await programsIn(app))
    await setTimes(app)
    const { author } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
    const displayName = isForTests ? 'Sluice (for tests only)' : 'Sluice'
    const options = { app, folder, work, version, displayName, publisher: author, isRelease }
    const files = [
      ...(can('nsis') ? [await makeNsis(options)] : []),
      ...(can('msi') ? [await makeMsi(options)] : []),
    ]
    await signer?.sign(files)
    return files
  } finally {
    await signer?.close()
    await rm(work, { recursive: true, force: true })
  }
}

/** Every file that Windows loads as code. @param {string} app */
const programsIn = async (app) => (await filesIn(app)).filter((file) => /\.(exe|dll|node)$/.test(file))

/** Both installers store the time of each file, so a fixed time makes them reproducible. @param {string} app */
const setTimes = async (app) => {
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0)
  for (const file of await filesIn(app)) await utimes(file, seconds, seconds)
}
