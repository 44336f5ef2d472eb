import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { capture } from '../launcher/child.mjs'
import { log } from '../launcher/command.mjs'

/** Time limit for a download that hangs. A refused connection fails within a second. */
const DOWNLOAD_LIMIT_MS = 10 * 60_000
const SLOW_AFTER_MS = 5_000
/**
 * An attempt takes half a second, or several seconds if a network drops packets. So a start does not repeat an attempt that
 * failed recently.
 */
const RETRY_AFTER_MS = 60 * 60_000

const EXECUTABLES = /** @type {Readonly<Record<string, string>>} */ ({
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
})

export const executableIn = (/** @type {string} */ dist) =>
  path.join(dist, EXECUTABLES[process.platform] ?? 'electron')

/**
 * Finds the distribution in node_modules. The electron package writes `path.txt` last, so an interrupted download does not
 * count.
 *
 * @param {string} root
 * @returns {string | null}
 */
export const installedElectron = (root) => {
  const electron = path.join(root, 'node_modules/electron')
  const dist = path.join(electron, 'dist')
  try {
    const version = readFileSync(path.join(dist, 'version'), 'utf8').trim().replace(/^v/, '')
    const isComplete = existsSync(path.join(electron, 'path.txt')) && existsSync(executableIn(dist))
    return isComplete && version === packageVersion(electron) ? dist : null
  } catch {
    return null
  }
}

/**
 * Lets the electron package download its own binary. The package verifies the published checksums and caches the archive, so
 * the next `npm ci` does not download it again.
 *
 * @param {{ root: string, cache: string, env: NodeJS.ProcessEnv, ignoresRecentFailure: boolean }} options
 * @returns {Promise<string | null>}
 */
export const downloadElectron = async ({ root, cache, env, ignoresRecentFailure }) => {
  const electron = path.join(root, 'node_modules/electron')
  const script = path.join(electron, 'install.js')
  if (!existsSync(script)) return null
  const version = packageVersion(electron)
  const failureFile = path.join(cache, `electron-${version}-not-reachable`)
  if (!ignoresRecentFailure && failedRecently(failureFile)) return null
  const slowTimer = setTimeout(() => log(`downloading Electron ${version}, once…`), SLOW_AFTER_MS)
  const { code } = await capture(process.execPath, [script], { env, timeoutMs: DOWNLOAD_LIMIT_MS })
  clearTimeout(slowTimer)
  const dist = code === 0 ? installedElectron(root) : null
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
