import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { capture } from '../launcher/child.mjs'
import { log } from '../launcher/command.mjs'
import { MACHINE } from '../launcher/project.mjs'

/** Time limit for a download that hangs. */
const DOWNLOAD_LIMIT_MS = 10 * 60_000
const SLOW_AFTER_MS = 5_000
/** The wait after a failed download before the next attempt, because each attempt may take several seconds. */
const RETRY_AFTER_MS = 60 * 60_000

const EXECUTABLES = /** @type {Readonly<Record<string, string>>} */ ({
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
})

export const executableIn = (/** @type {string} */ dist, /** @type {string} */ platform = process.platform) =>
  path.join(dist, EXECUTABLES[platform] ?? 'electron')

/**
 * Finds a complete distribution in node_modules.
 *
 * @param {string} root
 * @returns {string | null}
 */
export const installedElectron = (root) => completeDist(electronFolder(root), process.platform)

const electronFolder = (/** @type {string} */ root) => path.join(root, 'node_modules/electron')

/** @param {string} electron @param {string} platform @returns {string | null} */
const completeDist = (electron, platform) => {
  const dist = path.join(electron, 'dist')
  try {
    const version = readFileSync(path.join(dist, 'version'), 'utf8').trim().replace(/^v/, '')
    // The electron package writes `path.txt` last.
    const isComplete = existsSync(path.join(electron, 'path.txt')) && existsSync(executableIn(dist, platform))
    return isComplete && version === packageVersion(electron) ? dist : null
  } catch {
    return null
  }
}

/**
 * Lets the electron package download its own binary. The package verifies the published checksums and caches the
 * archive, so the next `npm ci` does not download it again.
 *
 * @param {{ root: string, cache: string, env: NodeJS.ProcessEnv, ignoresRecentFailure: boolean }} options
 * @returns {Promise<string | null>}
 */
export const downloadElectron = ({ root, ...options }) =>
  download({ ...options, electron: electronFolder(root), machine: MACHINE })

/**
 * Like `downloadElectron`, for a different machine. The electron package keeps only one distribution, so this function
 * runs a copy of its installer in a different folder.
 *
 * @param {{ root: string, machine: string, cache: string, env: NodeJS.ProcessEnv, ignoresRecentFailure: boolean }} options
 * @returns {Promise<string | null>}
 */
export const downloadElectronOf = async ({ root, machine, ...options }) => {
  const electron = path.join(root, `node_modules/.electron-${machine}`)
  await mkdir(electron, { recursive: true })
  for (const name of ['install.js', 'package.json', 'checksums.json'])
    await copyFile(path.join(electronFolder(root), name), path.join(electron, name))
  return completeDist(electron, machine.split('-')[0] ?? '') ?? download({ ...options, electron, machine })
}

/**
 * @param {{ electron: string, machine: string, cache: string, env: NodeJS.ProcessEnv, ignoresRecentFailure: boolean }} options
 * @returns {Promise<string | null>}
 */
const download = async ({ electron, machine, cache, env, ignoresRecentFailure }) => {
  const [platform = '', arch = ''] = machine.split('-')
  const script = path.join(electron, 'install.js')
  if (!existsSync(script)) return null
  const version = packageVersion(electron)
  const failureFile = path.join(cache, `electron-${version}-${machine}-not-reachable`)
  if (!ignoresRecentFailure && failedRecently(failureFile)) return null
  const slowTimer = setTimeout(() => log(`downloading Electron ${version}, once…`), SLOW_AFTER_MS)
  const { code } = await capture(process.execPath, [script], {
    env: {
      ...env,
      ELECTRON_INSTALL_PLATFORM: platform,
      ELECTRON_INSTALL_ARCH: arch,
      ELECTRON_OVERRIDE_DIST_PATH: undefined,
    },
    timeoutMs: DOWNLOAD_LIMIT_MS,
  })
  clearTimeout(slowTimer)
  const dist = code === 0 ? completeDist(electron, platform) : null
  if (dist !== null) {
    await rm(failureFile, { force: true })
    return dist
  }
  await mkdir(cache, { recursive: true })
  await writeFile(failureFile, `${Date.now()}\n`)
  return null
}

const packageVersion = (/** @type {string} */ electron) =>
  /** @type {string} */ (JSON.parse(readFileSync(path.join(electron, 'package.json'), 'utf8')).version)

const failedRecently = (/** @type {string} */ file) => {
  try {
    const ageMs = Date.now() - Number(readFileSync(file, 'utf8'))
    return ageMs >= 0 && ageMs < RETRY_AFTER_MS
  } catch {
    return false
  }
}
