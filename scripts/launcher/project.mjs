import { existsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder, wherever a script was called from. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** What binaries are named after: `linux-x64`, `darwin-arm64`, … */
export const MACHINE = `${process.platform}-${process.arch}`

export const isRoot = () => process.getuid?.() === 0

/** The script of an installed package, run with Node instead of a shell shim: the same on every platform. */
export const toolScript = (/** @type {string} */ pathInModules) =>
  path.join(ROOT, 'node_modules', pathInModules)

/**
 * Downloads live outside the repository, so that a fresh clone or `npm ci` does not fetch them again.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export const cacheFolder = (env) =>
  path.join(env.SLUICE_CACHE || env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'sluice')

/**
 * `npm run` moves to the repository's folder; a path that was typed elsewhere means that other place.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export const whereTyped = (env) =>
  process.cwd() === ROOT && env.INIT_CWD && existsSync(env.INIT_CWD) ? env.INIT_CWD : process.cwd()
