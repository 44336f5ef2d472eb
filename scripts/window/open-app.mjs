import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { exitCodeOf } from '../launcher/child.mjs'
import { Refusal, say } from '../launcher/command.mjs'
import { isRoot, MACHINE, ROOT } from '../launcher/project.mjs'
import {
  allowsFallback,
  FALLBACK_VARIABLE,
  refuseBeyondThisPc,
  serviceBeyondThisPc,
  withoutAllowance,
} from '../runtime/fallback-service.mjs'
import { findElectron, noElectronFor } from '../runtime/find-runtime.mjs'
import { ensureLibraries } from '../runtime/system-libraries.mjs'
import { openDisplay } from './display.mjs'
import { passWithoutBusNoise } from './without-bus-noise.mjs'

/**
 * @typedef {object} WindowSetup
 * @property {string} executable
 * @property {boolean} fallback it is not the official Electron
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {() => void} close
 */

/** @typedef {Partial<import('../runtime/find-runtime.mjs').Search>} Search */

/**
 * Everything a window needs: Electron, its libraries, a display. Null when there is no Electron for this machine.
 *
 * @param {Search} [search]
 * @returns {Promise<WindowSetup | null>}
 */
export const prepareWindow = async (search = {}) => {
  const { env = process.env } = search
  const electron = await findElectron(search)
  if (electron === null) return null
  const fallback = electron.source === 'fallback'
  await ensureLibraries({ window: true, env })
  warnOfDeniedSandbox()
  const display = await openDisplay(env)
  if (display.virtual) say(`no display here: windows open on a virtual one (DISPLAY=${display.env.DISPLAY}).`)
  return {
    executable: electron.executable,
    fallback,
    args: sandboxArgs(),
    env: {
      ...withoutNodeMode(env),
      ...display.env,
      [FALLBACK_VARIABLE]: fallback ? '1' : undefined,
    },
    close: display.stop,
  }
}

/** @param {Search} [search] @returns {Promise<WindowSetup>} */
export const requireWindow = async (search) => {
  const window = await prepareWindow(search)
  if (window === null) throw new Refusal(noElectronFor(MACHINE))
  return window
}

/**
 * A window for the app with these arguments, unless it is the fallback's and the settings name a service beyond this PC.
 *
 * @param {readonly string[]} args
 * @param {{ typed: string, cwd: string, search?: Search | undefined }} how
 * @returns {Promise<WindowSetup>} with the app's own arguments behind those of the window
 */
export const requireWindowFor = async (args, { typed, cwd, search }) => {
  const window = await requireWindow(search)
  const own = withoutAllowance(args)
  const ready = { ...window, args: [...window.args, ...own] }
  if (!window.fallback) return ready
  if (allowsFallback(args)) return { ...ready, env: { ...window.env, [FALLBACK_VARIABLE]: 'allowed' } }
  try {
    refuseBeyondThisPc(serviceBeyondThisPc(own, { env: window.env, cwd }), typed)
  } catch (error) {
    window.close()
    throw error
  }
  return ready
}

/**
 * Runs the built app until it ends. It reads its arguments itself, and refuses what it does not know; only the one
 * about the fallback Electron is the launcher's.
 *
 * @param {readonly string[]} args
 * @param {Search} [search]
 * @returns {Promise<number>}
 */
export const runApp = async (args, search) => {
  // `npm start` moves to the repository's folder; a path that was typed elsewhere means that other place.
  const cwd = process.env.INIT_CWD ?? process.cwd()
  const window = await requireWindowFor(args, { typed: 'npm start --', cwd, search })
  try {
    const app = spawn(window.executable, [ROOT, ...window.args], {
      env: window.env,
      cwd,
      stdio: ['inherit', 'inherit', 'pipe'],
    })
    passWithoutBusNoise(app.stderr, process.stderr)
    return await exitCodeOf(app, window.executable)
  } finally {
    window.close()
  }
}

/**
 * Chromium's sandbox cannot start as root. Only launchers of the source tree turn it off, and only then: a
 * package is started without them.
 */
const sandboxArgs = () => (process.platform === 'linux' && isRoot() ? ['--no-sandbox'] : [])

/** Inherited from a test that runs on Electron's Node, this would turn the window into a second Node. */
const withoutNodeMode = (/** @type {NodeJS.ProcessEnv} */ { ELECTRON_RUN_AS_NODE: _, ...env }) => env

/** Ubuntu 24.04 and later deny what Chromium's sandbox is made of to programs outside a package. */
const warnOfDeniedSandbox = () => {
  const setting = 'kernel.apparmor_restrict_unprivileged_userns'
  if (process.platform !== 'linux' || isRoot()) return
  try {
    if (readFileSync(`/proc/sys/${setting.replaceAll('.', '/')}`, 'utf8').trim() !== '1') return
  } catch {
    return
  }
  say(
    `this system keeps Chromium's sandbox from starting; should no window open, type: sudo sysctl -w ${setting}=0`,
  )
}
