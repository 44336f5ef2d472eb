import { existsSync } from 'node:fs'
import path from 'node:path'
import { capture } from '../launcher/child.mjs'
import { Refusal, say } from '../launcher/command.mjs'
import { isRoot } from '../launcher/project.mjs'

/** What Electron loads, linked or at run time, and the Debian package it comes in. */
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

/** Debian 13 and Ubuntu 24.04 renamed these for 64-bit time. */
const RENAMED_T64 = new Set(['libgtk-3-0', 'libasound2', 'libatk-bridge2.0-0', 'libcups2'])

const TRIPLET = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
const INSTALL = ['install', '--no-install-recommends', '-y', '-o', 'DPkg::Lock::Timeout=300']

/**
 * What this page asks of the machine; a test puts another machine in its place.
 *
 * @typedef {object} System
 * @property {string} platform
 * @property {boolean} root
 * @property {() => Promise<string | null>} libraryList `ldconfig -p`, or null where there is no such program
 * @property {(program: string) => boolean} has
 * @property {(program: string, args: readonly string[]) => Promise<{ code: number | null, output: string }>} run
 */

/**
 * Makes sure that Electron's libraries are there, and for a window without a display also Xvfb. As root with
 * apt they are installed; anyone else gets the one command to type.
 *
 * @param {{ window: boolean, env: NodeJS.ProcessEnv, system?: System }} options
 */
export const ensureLibraries = async ({ window, env, system = thisMachine(env) }) => {
  if (system.platform !== 'linux') return
  const missing = [...(await missingLibraries(system)), ...(window ? missingPrograms(env, system) : [])]
  await installMissing('Electron', missing, system)
}

/**
 * Programs that some tests drive. Where they are missing and cannot be installed, those tests leave themselves
 * out, and this says so with the command that would bring them.
 *
 * @param {readonly { name: string, packageName: string }[]} programs
 * @param {{ env: NodeJS.ProcessEnv, system?: System }} options
 */
export const offerTestPrograms = async (programs, { env, system = thisMachine(env) }) => {
  if (system.platform !== 'linux') return
  const missing = programs.filter(({ name }) => !system.has(name))
  try {
    await installMissing('a part of the tests', missing, system)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(`some tests are left out: ${error.message}`)
  }
}

const BROWSER = { name: 'chromium', packageName: 'chromium' }
const LIGHT_BROWSER = { name: 'chromium-headless-shell', packageName: 'chromium-headless-shell' }

/**
 * A Chromium for tests of the page, which show no window: the one that cannot has half the work with each page. Where
 * the system does not offer it, or somebody else would have to install it, any Chromium will do.
 *
 * @param {{ env: NodeJS.ProcessEnv, system?: System }} options
 */
export const offerPageBrowser = async ({ env, system = thisMachine(env) }) => {
  if (system.platform !== 'linux' || env.SLUICE_CHROMIUM || system.has(LIGHT_BROWSER.name)) return
  const isOffered = async () =>
    (await system.run('apt-cache', ['show', LIGHT_BROWSER.packageName])).code === 0
  const mayInstall = system.root && system.has('apt-get')
  if (mayInstall && !(await isOffered())) await system.run('apt-get', ['update'])
  await offerTestPrograms([mayInstall && (await isOffered()) ? LIGHT_BROWSER : BROWSER], { env, system })
}

/**
 * Programs without which a command cannot do its work.
 *
 * @param {string} who
 * @param {readonly { name: string, packageName: string }[]} programs
 * @param {{ env: NodeJS.ProcessEnv, system?: System }} options
 */
export const requirePrograms = async (who, programs, { env, system = thisMachine(env) }) =>
  installMissing(
    who,
    programs.filter(({ name }) => !system.has(name)),
    system,
  )

/**
 * @param {string} who
 * @param {readonly { name: string, packageName: string }[]} missing
 * @param {System} system
 */
const installMissing = async (who, missing, system) => {
  if (missing.length === 0) return
  const wanted = missing.map(({ packageName }) => packageName)
  if (!system.has('apt-get')) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new Refusal(`${who} needs ${names}; install them with this system's package manager.`)
  }
  if (!system.root) {
    const packages = (await debianNames(wanted, system)).join(' ')
    throw new Refusal(
      `${who} needs system packages that are missing; type: ` +
        `sudo apt-get update && sudo apt-get install --no-install-recommends -y ${packages}`,
    )
  }
  say(`installing system packages with apt-get, once: ${wanted.join(' ')}`)
  // A stale or partly unreachable list may still be good enough; the install decides.
  await system.run('apt-get', ['update'])
  const packages = await debianNames(wanted, system)
  const { code, output } = await system.run('apt-get', [...INSTALL, ...packages])
  if (code === 0) return
  process.stderr.write(output)
  throw new Refusal(`apt-get could not install ${packages.join(' ')}; its own words are above.`)
}

/** @param {System} system */
const missingLibraries = async (system) => {
  const list = await system.libraryList()
  if (list === null) return []
  const present = new Set()
  for (const line of list.split('\n')) {
    const [, name, file] = /^\s+(\S+) \(.*=> (\S+)$/.exec(line) ?? []
    // A second architecture's libraries do not help.
    const triplet = /[a-z0-9_]+-linux-gnu[a-z0-9]*/.exec(file ?? '')?.[0]
    if (name !== undefined && (triplet === undefined || triplet === TRIPLET)) present.add(name)
  }
  return LIBRARIES.filter(([name]) => !present.has(name)).map(([name, packageName]) => ({
    name,
    packageName,
  }))
}

/** @param {NodeJS.ProcessEnv} env @param {System} system */
const missingPrograms = (env, system) => {
  const needed = [
    ...(env.DISPLAY || env.WAYLAND_DISPLAY ? [] : [{ name: 'Xvfb', packageName: 'xvfb' }]),
    { name: 'dbus-daemon', packageName: 'dbus' },
  ]
  return needed.filter(({ name }) => !system.has(name))
}

/** @param {readonly string[]} wanted @param {System} system */
const debianNames = (wanted, system) =>
  Promise.all(
    wanted.map(async (name) => {
      if (!RENAMED_T64.has(name)) return name
      const { code } = await system.run('apt-cache', ['show', `${name}t64`])
      return code === 0 ? `${name}t64` : name
    }),
  )

/** @param {NodeJS.ProcessEnv} env @returns {System} */
const thisMachine = (env) => ({
  platform: process.platform,
  root: isRoot(),
  libraryList: async () => {
    // Not on an ordinary user's PATH.
    const ldconfig = ['/sbin/ldconfig', '/usr/sbin/ldconfig'].find((file) => existsSync(file))
    if (ldconfig === undefined) return null
    const { code, stdout } = await capture(ldconfig, ['-p'])
    return code === 0 ? stdout : null
  },
  has: (program) =>
    path.isAbsolute(program)
      ? existsSync(program)
      : (env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program))),
  run: (program, args) => capture(program, args, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } }),
})
