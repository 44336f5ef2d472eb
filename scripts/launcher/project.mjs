import { existsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** The name of this machine in the names of binaries: `linux-x64`, `darwin-arm64`, … */
export const MACHINE = `${process.platform}-${process.arch}`

export const isRoot = () => process.getuid?.() === 0

/**
 * The script of an installed package, for Node to run directly. npm's shell wrappers differ between systems.
 */
export const toolScript = (/** @type {string} */ pathInModules) =>
  path.join(ROOT, 'node_modules', pathInModules)

/**
 * The cache is outside the repository, so that a fresh clone or `npm ci` does not download everything again.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export const cacheFolder = (env) =>
  path.join(env.SLUICE_CACHE || env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'sluice')

/**
 * `npm run` changes to the folder of the repository, but paths on the command line are relative to the caller's folder.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export const callerFolder = (env) =>
  process.cwd() === ROOT && env.INIT_CWD && existsSync(env.INIT_CWD) ? env.INIT_CWD : process.cwd()
