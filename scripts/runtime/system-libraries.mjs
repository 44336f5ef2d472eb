import { existsSync } from 'node:fs'
import path from 'node:path'
import { capture } from '../launcher/child.mjs'
import { ExpectedFailure, log } from '../launcher/command.mjs'
import { isRoot } from '../launcher/project.mjs'

/** Libraries that Electron links or loads at run time, with their Debian packages. */
const LIBRARIES = /** @type {const} */ ([
  ['libgtk-3.so.0', 'libgtk-3-0'],
  ['libnss3.so', 'libnss3'],
  ['libasound.so.2', 'libasound2'],
  ['libgbm.so.1', 'libgbm1'],
  ['libXss.so.1', 'libxss1'],
  ['libatk-bridge-2.0.so.0', 'libatk-bridge2.0-0'],
  ['libdrm.so.2', 'libdrm2'],
  ['libnotify.so.4', 'libnotify4'],
  ['libsecret-1.so.0', 'libsecret-1-0'],
  ['libcups.so.2', 'libcups2'],
  ['libxkbcommon.so.0', 'libxkbcommon0'],
])

/** Debian 13 and Ubuntu 24.04 added `t64` to the names of these packages. */
const RENAMED_T64 = new Set(['libgtk-3-0', 'libasound2', 'libatk-bridge2.0-0', 'libcups2'])

const TRIPLET = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
const INSTALL = ['install', '--no-install-recommends', '-y', '-o', 'DPkg::Lock::Timeout=300']

/**
 * What this module reads and runs on the machine. Tests pass a simulated machine.
 *
 * @typedef {object} System
 * @property {string} platform
 * @property {boolean} isRoot
 * @property {() => Promise<string | null>} listLibraries the output of `ldconfig -p`, or null if `ldconfig` is missing
 * or fails
 * @property {(program: string) => boolean} hasProgram
 * @property {(program: string, args: readonly string[]) => Promise<{ code: number | null, output: string }>} run
 */

/**
 * Ensures that Electron's libraries are installed. A window also needs D-Bus, and Xvfb if there is no display. Installs
 * missing packages if this user is root and the system has apt. Otherwise, throws an error that names them.
 *
 * @param {{ needsWindow: boolean, env: NodeJS.ProcessEnv, system?: System }} options
 */
export const ensureLibraries = async ({ needsWindow, env, system = thisMachine(env) }) => {
  if (system.platform !== 'linux') return
  const missing = [...(await missingLibraries(system)), ...(needsWindow ? missingPrograms(env, system) : [])]
  await installMissing('Electron', missing, system)
}

const BROWSER = { name: 'chromium', packageName: 'chromium' }
const LIGHT_BROWSER = { name: 'chromium-headless-shell', packageName: 'chromium-headless-shell' }

/**
 * Installs the packages that a test run lacks: the named programs, a Chromium for tests of the page, and Electron's
 * libraries. Calls apt only once, because each call reads all package lists. If the installation fails, the tests that
 * need the packages skip themselves. If Electron's libraries are still missing, `ensureLibraries` fails later.
 *
 * @param {readonly { name: string, packageName: string }[]} programs
 * @param {{ needsBrowser?: boolean, needsElectron?: boolean, env: NodeJS.ProcessEnv, system?: System }} options
 */
export const installForTests = async (
  programs,
  { needsBrowser = false, needsElectron = false, env, system = thisMachine(env) },
) => {
  if (system.platform !== 'linux') return
  const mayInstall = system.isRoot && system.hasProgram('apt-get')
  const missing = [
    ...(needsElectron && mayInstall
      ? [...(await missingLibraries(system)), ...missingPrograms(env, system)]
      : []),
    ...programs.filter(({ name }) => !system.hasProgram(name)),
  ]
  try {
    if (needsBrowser && !env.SLUICE_CHROMIUM) missing.push(...(await missingBrowser(mayInstall, system)))
    await installMissing('a part of the tests', missing, system)
  } catch (error) {
    if (!(error instanceof ExpectedFailure)) throw error
    log(`some tests will be skipped: ${error.message}`)
  }
}

/**
 * Returns the browser to install, if any. Prefers the headless shell, because it needs half the processor time.
 *
 * @param {boolean} mayInstall
 * @param {System} system
 */
const missingBrowser = async (mayInstall, system) => {
  if (system.hasProgram(LIGHT_BROWSER.name)) return []
  const isOffered = async () =>
    (await system.run('apt-cache', ['show', LIGHT_BROWSER.packageName])).code === 0
  if (mayInstall && !(await isOffered())) await system.run('apt-get', ['update'])
  if (mayInstall && (await isOffered())) return [LIGHT_BROWSER]
  return system.hasProgram(BROWSER.name) ? [] : [BROWSER]
}

/**
 * Installs the programs that a command requires, or throws.
 *
 * @param {string} consumer
 * @param {readonly { name: string, packageName: string }[]} programs
 * @param {{ env: NodeJS.ProcessEnv, system?: System }} options
 */
export const requirePrograms = async (consumer, programs, { env, system = thisMachine(env) }) =>
  installMissing(
    consumer,
    programs.filter(({ name }) => !system.hasProgram(name)),
    system,
  )

/**
 * @param {string} consumer
 * @param {readonly { name: string, packageName: string }[]} missing
 * @param {System} system
 */
const installMissing = async (consumer, missing, system) => {
  if (missing.length === 0) return
  const packageNames = missing.map(({ packageName }) => packageName)
  if (!system.hasProgram('apt-get')) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new ExpectedFailure(`${consumer} needs ${names}; install them with this system's package manager.`)
  }
  if (!system.isRoot) {
    const packages = (await debianNames(packageNames, system)).join(' ')
    throw new ExpectedFailure(
      `${consumer} needs missing system packages; run: ` +
        `sudo apt-get update && sudo apt-get install --no-install-recommends -y ${packages}`,
    )
  }
  log(`installing system packages with apt-get, once: ${packageNames.join(' ')}`)
  // Ignore errors of the update: an old package list may still be good enough.
  await system.run('apt-get', ['update'])
  const packages = await debianNames(packageNames, system)
  const { code, output } = await system.run('apt-get', [...INSTALL, ...packages])
  if (code === 0) return
  process.stderr.write(output)
  throw new ExpectedFailure(`apt-get could not install ${packages.join(' ')}; see its output above.`)
}

/** @param {System} system */
const missingLibraries = async (system) => {
  const list = await system.listLibraries()
  if (list === null) return []
  const installedNames = new Set()
  for (const line of list.split('\n')) {
    const [, name, file] = /^\s+(\S+) \(.*=> (\S+)$/.exec(line) ?? []
    // Ignore libraries for other architectures.
    const triplet = /[a-z0-9_]+-linux-gnu[a-z0-9]*/.exec(file ?? '')?.[0]
    if (name !== undefined && (triplet === undefined || triplet === TRIPLET)) installedNames.add(name)
  }
  return LIBRARIES.filter(([name]) => !installedNames.has(name)).map(([name, packageName]) => ({
    name,
    packageName,
  }))
}

/** @param {NodeJS.ProcessEnv} env @param {System} system */
const missingPrograms = (env, system) => {
  const programs = [
    ...(env.DISPLAY || env.WAYLAND_DISPLAY ? [] : [{ name: 'Xvfb', packageName: 'xvfb' }]),
    { name: 'dbus-daemon', packageName: 'dbus' },
  ]
  return programs.filter(({ name }) => !system.hasProgram(name))
}

/**
 * Returns the names that the packages have in this version of Debian.
 *
 * @param {readonly string[]} packageNames
 * @param {System} system
 */
const debianNames = (packageNames, system) =>
  Promise.all(
    packageNames.map(async (name) => {
      if (!RENAMED_T64.has(name)) return name
      const { code } = await system.run('apt-cache', ['show', `${name}t64`])
      return code === 0 ? `${name}t64` : name
    }),
  )

/** @param {NodeJS.ProcessEnv} env @returns {System} */
const thisMachine = (env) => ({
  platform: process.platform,
  isRoot: isRoot(),
  listLibraries: async () => {
    // /sbin is not on the PATH of ordinary users.
    const ldconfig = ['/sbin/ldconfig', '/usr/sbin/ldconfig'].find((file) => existsSync(file))
    if (ldconfig === undefined) return null
    const { code, stdout } = await capture(ldconfig, ['-p'])
    return code === 0 ? stdout : null
  },
  hasProgram: (program) =>
    path.isAbsolute(program)
      ? existsSync(program)
      : (env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program))),
  run: (program, args) => capture(program, args, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } }),
})
