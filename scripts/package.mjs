import { readFileSync } from 'node:fs'
import { copyFile, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from './building/build-steps.mjs'
import { listShippedWithElectron } from './building/list-shipped.mjs'
import { makeDeb } from './building/make-deb.mjs'
import { makeRpm, rpmbuildProblem } from './building/make-rpm.mjs'
import { makeTar, writeChecksums } from './building/make-tar.mjs'
import { withPackagesForMachine } from './building/packages-for-machine.mjs'
import { capture, runInPlace } from './launcher/child.mjs'
import { command, ExpectedFailure, log } from './launcher/command.mjs'
import { MACHINE, ROOT, toolScript } from './launcher/project.mjs'
import { describeMissingElectron, findElectron, findElectronOf } from './runtime/find-runtime.mjs'

/** @typedef {import('./runtime/find-runtime.mjs').Electron} Electron */

const WINDOWS = { platform: 'win32', arch: 'x64' }
const REMOVE_DEFAULT_APP_SCRIPT = path.join(import.meta.dirname, 'building', 'remove-default-app.mjs')
const TESTS_ONLY_WARNING =
  'This Sluice is for tests only: its Electron is repackaged by a third party, and nothing in it is signed.'

await command(
  {
    usage: 'npm run package [-- --installers | --release | --win] [--into FOLDER]',
    options: {
      installers: { type: 'boolean' },
      release: { type: 'boolean' },
      win: { type: 'boolean' },
      into: { type: 'string' },
    },
  },
  ({ installers, release, win, into }) => {
    const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), into ?? path.join(ROOT, 'dist'))
    if (!win || process.platform === 'win32') return packageForThisSystem(folder, { installers, release })
    if (release) throw new ExpectedFailure('make a release for Windows on Windows.')
    return packageForWindows(folder)
  },
)

/** @param {string} folder @param {{ installers: boolean | undefined, release: boolean | undefined }} options */
async function packageForThisSystem(folder, { installers, release }) {
  const electron = await findElectron({ ignoresRecentFailure: true })
  if (electron === null) throw new ExpectedFailure(describeMissingElectron(MACHINE))
  if (release && electron.source === 'fallback')
    throw new ExpectedFailure('a release needs the official Electron, which cannot be downloaded here.')
  if (installers && process.platform !== 'linux')
    throw new ExpectedFailure(
      '--installers works on Linux only; --release makes the installers of this system.',
    )
  const isLinux = process.platform === 'linux'
  const rpmProblem = isLinux ? rpmbuildProblem() : null
  if (release && rpmProblem !== null) throw new ExpectedFailure(rpmProblem)
  await buildUnlessInTest()
  const code = await pack(electron, { tree: ROOT, folder }, release && !isLinux ? [] : ['--dir'])
  if (code === 0 && isLinux && (installers || release))
    await makeLinuxPackages(folder, { isForTests: electron.source === 'fallback', rpmProblem })
  return code
}

/** Two builds of one commit are identical, because every time in them is the time of the commit. */
async function makeLinuxPackages(
  /** @type {string} */ folder,
  /** @type {{ isForTests: boolean, rpmProblem: string | null }} */ { isForTests, rpmProblem },
) {
  process.env.SOURCE_DATE_EPOCH ??= await commitTime()
  const [unpacked] = (await readdir(folder)).filter((name) => /^linux(-\w+)?-unpacked$/.test(name))
  const app = path.join(folder, unpacked ?? '')
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const options = { app, folder, version, isForTests }
  const files = [
    await makeDeb(options),
    ...(rpmProblem === null ? [await makeRpm(options)] : []),
    await makeTar(options),
  ]
  await writeChecksums(folder, files)
  for (const file of files) log(isForTests ? `${file}: ${TESTS_ONLY_WARNING}` : file)
  if (rpmProblem !== null) log(`no .rpm was made: ${rpmProblem}`)
}

async function commitTime() {
  const { code, output } = await capture('git', ['log', '-1', '--format=%ct'], { cwd: ROOT })
  return code === 0 ? output.trim() : '0'
}

/** Makes an unpacked app for Windows on a different system, for tests. @param {string} folder */
async function packageForWindows(folder) {
  const machine = `${WINDOWS.platform}-${WINDOWS.arch}`
  const electron = await findElectronOf(machine)
  if (electron === null) throw new ExpectedFailure(describeMissingElectron(machine))
  await buildUnlessInTest()
  const app = path.join(folder, 'win-unpacked')
  await rm(app, { recursive: true, force: true })
  const version = readFileSync(path.join(electron.dist, 'version'), 'utf8').trim().replace(/^v/, '')
  const args = [
    ...['--win', '--x64', '--dir'],
    `-c.electronVersion=${version}`,
    // Even without a certificate, electron-builder would first download its signing tools.
    '-c.win.signExecutable=false',
  ]
  const code = await withPackagesForMachine(WINDOWS, (tree) => pack(electron, { tree, folder }, args))
  if (code !== 0) return code
  await writeFile(path.join(app, 'FOR-TESTS-ONLY.txt'), `${TESTS_ONLY_WARNING}\r\n`)
  log(`${app}: ${TESTS_ONLY_WARNING}`)
  return code
}

/** A test starts this script too. The script must then not rebuild files that other tests are running. */
async function buildUnlessInTest() {
  if (process.env.SLUICE_COMPILED === undefined) await build()
}

/** @param {Electron} electron @param {{ tree: string, folder: string }} where @param {readonly string[]} args */
async function pack(electron, { tree, folder }, args) {
  const sbom = await listShippedWithElectron(electron, tree)
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  await writeFile(path.join(tree, 'out/version'), `${version}\n`)
  const code = await runInPlace(
    process.execPath,
    [
      toolScript('electron-builder/cli.js'),
      `--projectDir=${tree}`,
      '--publish=never',
      `-c.electronDist=${electron.dist}`,
      `-c.afterExtract=${REMOVE_DEFAULT_APP_SCRIPT}`,
      `-c.directories.output=${folder}`,
      ...args,
    ],
    // A release is signed only if its variables name a certificate, never with a certificate in a developer's keychain.
    { cwd: tree, env: { ...process.env, CSC_IDENTITY_AUTO_DISCOVERY: 'false' } },
  )
  // Copies the bill of materials beside the package, for administrators who check it before they install.
  if (code === 0) await copyFile(sbom, path.join(folder, path.basename(sbom)))
  return code
}
