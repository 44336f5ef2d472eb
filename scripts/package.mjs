import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { describeArtefacts } from './building/artefacts.mjs'
import { build } from './building/build-steps.mjs'
import { commandTexts } from './building/linux-package.mjs'
import { projectVersion } from './building/list-shipped.mjs'
import { makeApp } from './building/make-app.mjs'
import { makeDeb } from './building/make-deb.mjs'
import { makeRpm } from './building/make-rpm.mjs'
import { makeTar } from './building/make-tar.mjs'
import { makeWindowsPackages } from './building/make-windows-packages.mjs'
import { missingTools } from './building/package-tools.mjs'
import { checkoutProblem, electronProblem, homepage } from './building/release-checks.mjs'
import { takeSigningVariables } from './building/windows-signing.mjs'
import { writeWingetManifests } from './building/winget.mjs'
import { capture } from './launcher/child.mjs'
import { command, ExpectedFailure, log } from './launcher/command.mjs'
import { MACHINE, ROOT } from './launcher/project.mjs'
import { describeMissingElectron, findElectron, findElectronOf } from './runtime/find-runtime.mjs'

/** @typedef {import('./runtime/find-runtime.mjs').Electron} Electron */
/** @typedef {{ file: string, sbom: import('./building/sbom.mjs').Sbom }} Artefact */
/** @typedef {{ machine: string, electron: Electron }} Target */

/** Linux can make packages for these machines, because packaging never runs the app. */
const MACHINES_OF_LINUX = ['linux-x64', 'linux-arm64', 'win32-x64']
const TESTS_ONLY_WARNING = 'This Sluice is for tests only: it is not a release.'

await command(
  {
    usage: `npm run package [-- --installers | --release] [--for ${MACHINES_OF_LINUX.join(' | ')}] [--into FOLDER]`,
    options: {
      installers: { type: 'boolean' },
      release: { type: 'boolean' },
      for: { type: 'string' },
      into: { type: 'string' },
    },
  },
  async ({ installers = false, release = false, for: machine, into }) => {
    const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), into ?? path.join(ROOT, 'dist'))
    if (machine !== undefined && machine !== MACHINE) refuseMachine(machine)
    const signing = takeSigningVariables(process.env)
    const targets = installers && !release ? await testTargets(machine) : [await target(machine ?? MACHINE)]
    if (release) await refuseUnlessRelease(targets)
    const makesInstallers = installers || release
    if (makesInstallers) refuseSystem(targets)
    await buildUnlessInTest()
    // Every timestamp is the time of the commit, so that builds are reproducible.
    process.env.SOURCE_DATE_EPOCH ??= await commitTime()
    /** @type {Artefact[]} */
    const artefacts = []
    for (const each of targets)
      artefacts.push(...(await makePackages(each, { folder, makesInstallers, release, signing })))
    if (makesInstallers) {
      await describeArtefacts(folder, artefacts)
      await writeWingetManifests(
        folder,
        artefacts.map(({ file }) => file),
      )
    }
    for (const { file } of artefacts) log(file)
    return 0
  },
)

/** @param {string} machine */
function refuseMachine(machine) {
  if (process.platform !== 'linux' || !MACHINES_OF_LINUX.includes(machine))
    throw new ExpectedFailure(
      `this system cannot make a package for ${machine}. Linux can make packages for ${MACHINES_OF_LINUX.join(', ')}.`,
    )
}

/** @param {string} machine @returns {Promise<Target>} */
async function target(machine) {
  const electron =
    machine === MACHINE
      ? await findElectron({ ignoresRecentFailure: true })
      : await findElectronOf(machine, { ignoresRecentFailure: true })
  if (electron === null) throw new ExpectedFailure(describeMissingElectron(machine))
  return { machine, electron }
}

/**
 * If no machine is given, tries every machine for which this system can make packages, and skips those without an
 * Electron.
 *
 * @param {string | undefined} machine
 */
async function testTargets(machine) {
  /** @type {Target[]} */
  const targets = []
  const machines = process.platform === 'linux' ? MACHINES_OF_LINUX : [MACHINE]
  for (const each of machine === undefined ? machines : [machine])
    try {
      targets.push(await target(each))
    } catch (error) {
      if (!(error instanceof ExpectedFailure) || machine !== undefined) throw error
      log(`no package for ${each}: ${error.message}`)
    }
  if (targets.length === 0) throw new ExpectedFailure('there is no Electron for any package.')
  return targets
}

/** @param {readonly Target[]} targets */
async function refuseUnlessRelease(targets) {
  const problem =
    (await checkoutProblem(ROOT, projectVersion())) ??
    targets.map(({ electron }) => electronProblem(electron)).find((found) => found !== null) ??
    (homepage() === null ? 'a release needs a homepage in package.json.' : null) ??
    missingTools(targets.map(({ machine }) => machine))[0]?.problem
  if (problem !== undefined && problem !== null) throw new ExpectedFailure(problem)
}

/** @param {readonly Target[]} targets */
function refuseSystem(targets) {
  if (process.platform === 'win32' && targets.some(({ machine }) => machine.startsWith('win32')))
    throw new ExpectedFailure(
      'make the Windows installers on Linux: npm run package -- --installers --for win32-x64',
    )
}

/**
 * Returns the modification time of each macOS package. A package with a new time is new, even if an earlier build used
 * the same name.
 */
const timesOfMacPackages = async (/** @type {string} */ folder) => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.(dmg|zip)$/.test(name))
  /** @type {Map<string, number>} */
  const times = new Map()
  for (const name of names) times.set(name, (await stat(path.join(folder, name))).mtimeMs)
  return times
}

/**
 * @param {Target} target
 * @param {{ folder: string, makesInstallers: boolean, release: boolean, signing: NodeJS.ProcessEnv }} options
 * @returns {Promise<Artefact[]>}
 */
async function makePackages({ machine, electron }, { folder, makesInstallers, release, signing }) {
  // Users see this suffix in file names, in the version and in the card "About Sluice".
  const version = projectVersion() + (release ? '' : '-fortests')
  const isForTests = !release
  const isMac = machine.startsWith('darwin')
  const timesBefore = isMac ? await timesOfMacPackages(folder) : new Map()
  const options = { machine, electron, folder, version, withInstallers: isMac && makesInstallers }
  const { app, sbom } = await makeApp(options)
  if (isForTests) log(`${app}: ${TESTS_ONLY_WARNING}`)
  if (!makesInstallers) return []
  const missing = missingTools([machine])
  for (const { problem } of missing) log(`a package is left out: ${problem}`)
  const can = (/** @type {string} */ kind) => !missing.some((tool) => tool.kind === kind)
  const withSbom = (/** @type {string} */ file) => ({ file, sbom })
  if (isMac) {
    const times = await timesOfMacPackages(folder)
    const newNames = [...times.keys()].filter((name) => times.get(name) !== timesBefore.get(name))
    return newNames.map((name) => withSbom(path.join(folder, name)))
  }
  if (machine.startsWith('win32'))
    return (
      await makeWindowsPackages({ app, folder, version, isForTests, isRelease: release, signing, can })
    ).map(withSbom)
  const arch = /** @type {'x64' | 'arm64'} */ (machine.split('-')[1])
  const linux = { app, folder, version, arch, isForTests, texts: await commandTexts() }
  return [
    ...(can('deb') ? [await makeDeb(linux)] : []),
    ...(can('rpm') ? [await makeRpm(linux)] : []),
    await makeTar(linux),
  ].map(withSbom)
}

async function commitTime() {
  const { code, output } = await capture('git', ['log', '-1', '--format=%ct'], { cwd: ROOT })
  return code === 0 ? output.trim() : '0'
}

/** Does not build in a test, because a build would replace files that other tests use. */
async function buildUnlessInTest() {
  if (process.env.SLUICE_COMPILED === undefined) await build()
}
