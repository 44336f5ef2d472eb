import { existsSync } from 'node:fs'
import path from 'node:path'
import { ExpectedFailure, logOnce } from '../launcher/command.mjs'
import { cacheFolder, MACHINE, ROOT } from '../launcher/project.mjs'
import {
  downloadElectron,
  downloadElectronOf,
  executableIn,
  installedElectron,
} from './official-electron.mjs'
import { unpackPinned } from './pinned-package.mjs'
import { PINNED_ELECTRON, PINNED_NODE } from './pinned-table.mjs'
import { ensureLibraries } from './system-libraries.mjs'

/**
 * @typedef {object} Search
 * @property {NodeJS.ProcessEnv} env
 * @property {string} root
 * @property {string} machine
 * @property {import('./pinned-table.mjs').PinTable} pinnedElectron
 * @property {import('./pinned-table.mjs').PinTable} pinnedNode
 * @property {import('./fetch-package.mjs').FetchTarball} [fetchTarball]
 * @property {boolean} [ignoresRecentFailure] retry the official download even if it failed recently
 */

/**
 * @typedef {object} Electron
 * @property {'override' | 'installed' | 'downloaded' | 'fallback'} source
 * @property {string} dist the unpacked distribution
 * @property {string} executable
 */

/** @type {Search} */
const DEFAULT_SEARCH = {
  env: process.env,
  root: ROOT,
  machine: MACHINE,
  pinnedElectron: PINNED_ELECTRON,
  pinnedNode: PINNED_NODE,
}

/**
 * Finds an installed, downloadable or pinned Electron for this machine, or returns null.
 *
 * @param {Partial<Search>} [options]
 * @returns {Promise<Electron | null>}
 */
export const findElectron = async (options) => {
  const search = { ...DEFAULT_SEARCH, ...options }
  return (await officialElectron(search)) ?? (await fallbackElectron(search))
}

/**
 * Finds a downloadable or pinned Electron for packaging the app for a different machine, or returns null.
 *
 * @param {string} machine
 * @param {Partial<Search>} [options]
 * @returns {Promise<Electron | null>}
 */
export const findElectronOf = async (machine, options) => {
  const search = { ...DEFAULT_SEARCH, ...options, machine }
  const { root, env, ignoresRecentFailure = false } = search
  const dist = await downloadElectronOf({ root, env, machine, cache: cacheFolder(env), ignoresRecentFailure })
  if (dist !== null)
    return { source: 'downloaded', dist, executable: executableIn(dist, machine.split('-')[0]) }
  return fallbackElectron(search, `the official Electron for ${machine} cannot be downloaded`)
}

/** @param {string} machine */
export const describeMissingElectron = (machine) =>
  `there is no Electron for ${machine} here: the official download is unreachable, and pinned-table.mjs ` +
  'pins no package for this machine; set ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron distribution.'

/**
 * Finds the Node that runs programs without a window. Prefers the Node inside the official Electron, because packages
 * also use Electron's Node. Otherwise, returns the pinned Node, or else the fallback Electron.
 *
 * @param {Partial<Search>} [options]
 * @returns {Promise<{ executable: string, env: NodeJS.ProcessEnv, isFallback: boolean }>}
 */
export const findNode = async (options) => {
  const search = { ...DEFAULT_SEARCH, ...options }
  const official = await officialElectron(search)
  const pin = search.pinnedNode[search.machine]
  if (official === null && pin !== undefined) {
    logOnce(
      `the official Electron for ${search.machine} cannot be downloaded; using ${pin.title} (${pin.name}@${pin.version}).`,
    )
    const folder = await unpackPinned(pin, unpackOptions(search))
    return { executable: path.join(folder, pin.binary), env: search.env, isFallback: false }
  }
  const electron = official ?? (await fallbackElectron(search))
  if (electron === null) throw new ExpectedFailure(describeMissingElectron(search.machine))
  // Electron needs GTK and other libraries even if it only runs as Node.
  await ensureLibraries({ needsWindow: false, env: search.env })
  return {
    executable: electron.executable,
    env: { ...search.env, ELECTRON_RUN_AS_NODE: '1' },
    isFallback: electron.source === 'fallback',
  }
}

/** @param {Search} search @returns {Promise<Electron | null>} */
const officialElectron = async ({ env, root, ignoresRecentFailure = false }) => {
  const override = env.ELECTRON_OVERRIDE_DIST_PATH
  if (override) {
    const dist = path.resolve(override)
    if (!existsSync(executableIn(dist)))
      throw new ExpectedFailure(
        `ELECTRON_OVERRIDE_DIST_PATH is ${dist}, but there is no ${executableIn(dist)}.`,
      )
    return electronIn('override', dist)
  }
  const installed = installedElectron(root)
  if (installed !== null) return electronIn('installed', installed)
  const downloaded = await downloadElectron({ root, env, cache: cacheFolder(env), ignoresRecentFailure })
  return downloaded === null ? null : electronIn('downloaded', downloaded)
}

/** @param {Search} search @param {string} [reason] @returns {Promise<Electron | null>} */
const fallbackElectron = async (search, reason = 'the official Electron cannot be downloaded') => {
  const pin = search.pinnedElectron[search.machine]
  if (pin === undefined) return null
  logOnce(`${reason}; using ${pin.title} (${pin.name}@${pin.version}), not for release.`)
  const folder = await unpackPinned(pin, unpackOptions(search))
  const executable = path.join(folder, pin.binary)
  return { source: 'fallback', dist: path.dirname(executable), executable }
}

/** @param {Search} search */
const unpackOptions = ({ env, fetchTarball }) => ({
  cache: cacheFolder(env),
  ...(fetchTarball === undefined ? {} : { fetchTarball }),
})

/** @param {'override' | 'installed' | 'downloaded'} source @param {string} dist @returns {Electron} */
const electronIn = (source, dist) => ({ source, dist, executable: executableIn(dist) })
