import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { exitCodeOf } from '../launcher/child.mjs'
import { ExpectedFailure, log } from '../launcher/command.mjs'
import { isRoot, MACHINE, ROOT } from '../launcher/project.mjs'
import {
  allowsFallback,
  FALLBACK_VARIABLE,
  refuseRemoteService,
  remoteServiceOfApp,
  removeFallbackFlag,
} from '../runtime/fallback-electron.mjs'
import { describeMissingElectron, findElectron } from '../runtime/find-runtime.mjs'
import { ensureLibraries } from '../runtime/system-libraries.mjs'
import { forwardWithoutDbusErrors } from './dbus-errors.mjs'
import { openDisplay } from './display.mjs'

/**
 * @typedef {object} WindowSetup
 * @property {string} executable
 * @property {boolean} isFallback true if the executable is the fallback Electron
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {() => void} close
 */

/** @typedef {Partial<import('../runtime/find-runtime.mjs').Search>} Search */

/**
 * Prepares Electron, its libraries and a display for a window. Returns null if this machine has no Electron.
 *
 * @param {Search} [search]
 * @returns {Promise<WindowSetup | null>}
 */
export const prepareWindow = async (search = {}) => {
  const { env = process.env } = search
  const electron = await findElectron(search)
  if (electron === null) return null
  const isFallback = electron.source === 'fallback'
  await ensureLibraries({ needsWindow: true, env })
  warnOfDeniedSandbox()
  const display = await openDisplay(env)
  if (display.isVirtual) log(`no display: windows open on a virtual one (DISPLAY=${display.env.DISPLAY}).`)
  return {
    executable: electron.executable,
    isFallback,
    args: sandboxArgs(),
    env: {
      ...removeNodeMode(env),
      ...display.env,
      [FALLBACK_VARIABLE]: isFallback ? '1' : undefined,
    },
    close: display.stop,
  }
}

/** @param {Search} [search] @returns {Promise<WindowSetup>} */
export const requireWindow = async (search) => {
  const window = await prepareWindow(search)
  if (window === null) throw new ExpectedFailure(describeMissingElectron(MACHINE))
  return window
}

/**
 * Prepares a window for the app. Throws if Electron is the fallback and the settings name a remote service, unless
 * the arguments contain `--allow-fallback-electron`.
 *
 * @param {readonly string[]} args
 * @param {{ commandStart: string, cwd: string, search?: Search | undefined }} options
 * @returns {Promise<WindowSetup>} its `args` end with the arguments of the app
 */
export const requireWindowFor = async (args, { commandStart, cwd, search }) => {
  const window = await requireWindow(search)
  const appArgs = removeFallbackFlag(args)
  const setup = { ...window, args: [...window.args, ...appArgs] }
  if (!window.isFallback) return setup
  if (allowsFallback(args)) return { ...setup, env: { ...window.env, [FALLBACK_VARIABLE]: 'allowed' } }
  try {
    refuseRemoteService(remoteServiceOfApp(appArgs, { env: window.env, cwd }), commandStart)
  } catch (error) {
    window.close()
    throw error
  }
  return setup
}

/**
 * Runs the built app until it ends.
 *
 * @param {readonly string[]} args
 * @param {Search} [search]
 * @returns {Promise<number>}
 */
export const runApp = async (args, search) => {
  // `npm start` changes to the folder of the repository, but paths are relative to the caller's folder.
  const cwd = process.env.INIT_CWD ?? process.cwd()
  const window = await requireWindowFor(args, { commandStart: 'npm start --', cwd, search })
  try {
    const app = spawn(window.executable, [ROOT, ...window.args], {
      env: window.env,
      cwd,
      stdio: ['inherit', 'inherit', 'pipe'],
    })
    forwardWithoutDbusErrors(app.stderr, process.stderr)
    return await exitCodeOf(app, window.executable)
  } finally {
    window.close()
  }
}

/** As root, Chromium's sandbox cannot start, so the launchers switch it off. A packaged app never switches it off. */
const sandboxArgs = () => (process.platform === 'linux' && isRoot() ? ['--no-sandbox'] : [])

/** A test that runs on Electron's Node has this variable. If Electron inherited it, Electron would run as Node. */
const removeNodeMode = (/** @type {NodeJS.ProcessEnv} */ { ELECTRON_RUN_AS_NODE: _, ...env }) => env

/**
 * Chromium's sandbox needs user namespaces. Ubuntu 24.04 and later allow them only for programs with a suitable
 * AppArmor profile.
 */
const warnOfDeniedSandbox = () => {
  const setting = 'kernel.apparmor_restrict_unprivileged_userns'
  if (process.platform !== 'linux' || isRoot()) return
  try {
    if (readFileSync(`/proc/sys/${setting.replaceAll('.', '/')}`, 'utf8').trim() !== '1') return
  } catch {
    return
  }
  log(`this system may block Chromium's sandbox; if no window opens, run: sudo sysctl -w ${setting}=0`)
}
