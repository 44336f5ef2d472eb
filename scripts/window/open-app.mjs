import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { exitCodeOf } from '../launcher/child.mjs'
import { Refusal, say } from '../launcher/command.mjs'
import { isRoot, MACHINE, ROOT } from '../launcher/project.mjs'
import { findElectron, noElectronFor } from '../runtime/find-runtime.mjs'
import { ensureLibraries } from '../runtime/system-libraries.mjs'
import { openDisplay } from './display.mjs'
import { passWithoutBusNoise } from './without-bus-noise.mjs'

/**
 * @typedef {object} WindowSetup
 * @property {string} executable
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {() => void} close
 */

/**
 * Everything a window needs: Electron, its libraries, a display. Null when there is no Electron for this machine.
 *
 * @returns {Promise<WindowSetup | null>}
 */
export const prepareWindow = async () => {
  const electron = await findElectron()
  if (electron === null) return null
  await ensureLibraries({ window: true, env: process.env })
  warnOfDeniedSandbox()
  const display = await openDisplay(process.env)
  if (display.virtual) say(`no display here: windows open on a virtual one (DISPLAY=${display.env.DISPLAY}).`)
  return {
    executable: electron.executable,
    args: sandboxArgs(),
    env: { ...withoutNodeMode(process.env), ...display.env },
    close: display.stop,
  }
}

/** @returns {Promise<WindowSetup>} */
export const requireWindow = async () => {
  const window = await prepareWindow()
  if (window === null) throw new Refusal(noElectronFor(MACHINE))
  return window
}

/**
 * Runs the built app until it ends. It reads its arguments itself, and refuses what it does not know.
 *
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export const runApp = async (args) => {
  const window = await requireWindow()
  try {
    // `npm start` moves to the repository's folder; a path that was typed elsewhere means that other place.
    const cwd = process.env.INIT_CWD ?? process.cwd()
    const app = spawn(window.executable, [ROOT, ...window.args, ...args], {
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
