import { readFileSync } from 'node:fs'
import { copyFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from './building/build-steps.mjs'
import { listShippedWith } from './building/list-shipped.mjs'
import { withTreeOf } from './building/other-machine.mjs'
import { runInPlace } from './launcher/child.mjs'
import { command, Refusal, say } from './launcher/command.mjs'
import { MACHINE, ROOT, toolScript } from './launcher/project.mjs'
import { findElectron, findElectronOf, noElectronFor } from './runtime/find-runtime.mjs'

/** @typedef {import('./runtime/find-runtime.mjs').Electron} Electron */

const DIST = path.join(ROOT, 'dist')
const WINDOWS = { platform: 'win32', arch: 'x64' }
const WINDOWS_DIST = path.join(DIST, 'win-unpacked')
const TESTS_ONLY =
  'This Sluice is for tests only: its Electron is a repackaging by somebody else, and nothing in it is signed.'

await command(
  {
    usage: 'npm run package [-- --release | --win]',
    options: { release: { type: 'boolean' }, win: { type: 'boolean' } },
  },
  ({ release, win }) => {
    if (!win || process.platform === 'win32') return packageForHere(release)
    if (release) throw new Refusal('a release for Windows is made on Windows.')
    return packageForWindows()
  },
)

/** @param {boolean | undefined} release */
async function packageForHere(release) {
  const electron = await findElectron()
  if (electron === null) throw new Refusal(noElectronFor(MACHINE))
  if (release && electron.source === 'fallback')
    throw new Refusal('a release is only made from the official Electron, which cannot be reached here.')
  await build()
  return pack(electron, ROOT, release ? [] : ['--dir'])
}

/** From another system: an unpacked app whose content can be looked at. */
async function packageForWindows() {
  const machine = `${WINDOWS.platform}-${WINDOWS.arch}`
  const electron = await findElectronOf(machine)
  if (electron === null) throw new Refusal(noElectronFor(machine))
  // Run by a test, it must not build anew what other tests run at this moment.
  if (process.env.SLUICE_COMPILED === undefined) await build()
  await rm(WINDOWS_DIST, { recursive: true, force: true })
  const version = readFileSync(path.join(electron.dist, 'version'), 'utf8').trim().replace(/^v/, '')
  const args = [
    ...['--win', '--x64', '--dir'],
    `-c.directories.output=${DIST}`,
    `-c.electronVersion=${version}`,
    // Also without a certificate it would first download its tools for signing.
    '-c.win.signExecutable=false',
  ]
  const code = await withTreeOf(WINDOWS, (tree) => pack(electron, tree, args))
  if (code !== 0) return code
  await writeFile(path.join(WINDOWS_DIST, 'FOR-TESTS-ONLY.txt'), `${TESTS_ONLY}\r\n`)
  say(`${WINDOWS_DIST}: ${TESTS_ONLY}`)
  return code
}

/** @param {Electron} electron @param {string} tree @param {readonly string[]} args */
async function pack(electron, tree, args) {
  const sbom = await listShippedWith(electron, tree)
  const code = await runInPlace(
    process.execPath,
    [
      toolScript('electron-builder/cli.js'),
      `--projectDir=${tree}`,
      '--publish=never',
      `-c.electronDist=${electron.dist}`,
      ...args,
    ],
    // Signing is asked for by the release's own settings, never found by chance in a developer's keychain.
    { cwd: tree, env: { ...process.env, CSC_IDENTITY_AUTO_DISCOVERY: 'false' } },
  )
  // Beside the package as well, for whoever looks before installing.
  if (code === 0) await copyFile(sbom, path.join(DIST, path.basename(sbom)))
  return code
}
