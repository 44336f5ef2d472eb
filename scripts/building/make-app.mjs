import { readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runInPlace } from '../launcher/child.mjs'
import { ExpectedFailure } from '../launcher/command.mjs'
import { MACHINE, ROOT, toolScript } from '../launcher/project.mjs'
import { listShippedWithElectron } from './list-shipped.mjs'
import { withPackagesForMachine } from './packages-for-machine.mjs'

const TRIM_SCRIPT = path.join(import.meta.dirname, 'trim-electron.mjs')
const PLATFORM_FLAGS = /** @type {Readonly<Record<string, string>>} */ ({
  linux: '--linux',
  win32: '--win',
  darwin: '--mac',
})
const UNPACKED_NAMES = /** @type {Readonly<Record<string, RegExp>>} */ ({
  'linux-x64': /^linux-unpacked$/,
  'linux-arm64': /^linux-arm64-unpacked$/,
  'win32-x64': /^win-unpacked$/,
  'darwin-x64': /^mac$/,
  'darwin-arm64': /^mac-arm64$/,
})

/** @typedef {import('./sbom.mjs').Sbom} Sbom */

/**
 * @typedef {object} AppOptions
 * @property {string} machine such as `linux-x64`
 * @property {import('../runtime/find-runtime.mjs').Electron} electron
 * @property {string} folder the output folder
 * @property {string} version
 */

/**
 * Makes the unpacked app with electron-builder. On macOS, `withInstallers` also makes the .dmg and the .zip.
 *
 * @param {AppOptions & { withInstallers?: boolean }} options
 * @returns {Promise<{ app: string, sbom: Sbom }>}
 */
export const makeApp = async (options) => {
  const [platform = '', arch = ''] = options.machine.split('-')
  const make = (/** @type {string} */ tree) => packTree(tree, { ...options, platform, arch })
  const sbom =
    options.machine === MACHINE ? await make(ROOT) : await withPackagesForMachine({ platform, arch }, make)
  const unpacked = (await readdir(options.folder)).find((name) => UNPACKED_NAMES[options.machine]?.test(name))
  if (unpacked === undefined)
    throw new ExpectedFailure(`electron-builder made no app for ${options.machine}.`)
  return { app: path.join(options.folder, unpacked), sbom }
}

/**
 * @param {string} tree
 * @param {AppOptions & { platform: string, arch: string, withInstallers?: boolean }} options
 * @returns {Promise<Sbom>}
 */
const packTree = async (tree, { electron, folder, version, platform, arch, withInstallers = false }) => {
  const sbomFile = await listShippedWithElectron(electron, tree, version)
  await writeFile(path.join(tree, 'out/version'), `${version}\n`)
  const electronVersion = readFileSync(path.join(electron.dist, 'version'), 'utf8').trim().replace(/^v/, '')
  const args = [
    ...[`--projectDir=${tree}`, '--publish=never', PLATFORM_FLAGS[platform] ?? '', `--${arch}`],
    ...(withInstallers ? [] : ['--dir']),
    `-c.electronDist=${electron.dist}`,
    `-c.electronVersion=${electronVersion}`,
    `-c.extraMetadata.version=${version}`,
    `-c.afterExtract=${TRIM_SCRIPT}`,
    `-c.directories.output=${folder}`,
    // `makeWindowsPackages` signs, because electron-builder would download its own signing tools.
    ...(platform === 'win32' ? ['-c.win.signExecutable=false'] : []),
  ]
  const code = await runInPlace(process.execPath, [toolScript('electron-builder/cli.js'), ...args], {
    cwd: tree,
    // Never sign with a certificate from a developer's keychain, only with one from the environment.
    env: { ...process.env, CSC_IDENTITY_AUTO_DISCOVERY: 'false' },
  })
  if (code !== 0) throw new ExpectedFailure(`electron-builder ended with ${code}; see its output above.`)
  return JSON.parse(readFileSync(sbomFile, 'utf8'))
}
