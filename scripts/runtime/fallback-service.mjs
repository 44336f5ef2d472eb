import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Refusal } from '../launcher/command.mjs'

export const ALLOW_FALLBACK = '--allow-fallback-electron'

/** @param {readonly string[]} args */
export const allowsFallback = (args) => args.includes(ALLOW_FALLBACK)

/** It is the launcher's: the program itself does not know it. @param {readonly string[]} args */
export const withoutAllowance = (args) => args.filter((argument) => argument !== ALLOW_FALLBACK)

/** @param {string | null} address beyond this PC @param {string} typed what the person would type before the allowance */
export const refuseBeyondThisPc = (address, typed) => {
  if (address === null) return
  throw new Refusal(
    `the fallback Electron is for development and tests, and the settings name ${address}; use the official ` +
      `Electron (ELECTRON_OVERRIDE_DIST_PATH), or type: ${typed} ${ALLOW_FALLBACK}`,
  )
}

/** What the app itself can look at, since its settings may change while it runs: `1`, or `allowed` by a person. */
export const FALLBACK_VARIABLE = 'SLUICE_FALLBACK_ELECTRON'

/**
 * The address of a service beyond this PC that the app would talk to, or null. A fallback Electron is somebody's
 * repackaging: it may see test data, but no real key and no real recording unless a person says so.
 *
 * @param {readonly string[]} args of the app
 * @param {{ env: NodeJS.ProcessEnv, cwd: string, platform?: string, home?: string }} where
 * @returns {string | null}
 */
export const serviceBeyondThisPc = (args, where) => {
  for (const folder of dataFolders(args, where)) {
    // The app runs on the last good settings where the others are damaged or gone.
    for (const name of ['settings.json', 'settings.last-good.json']) {
      const address = addressIn(path.join(folder, name))
      if (address !== null && !isLoopback(address)) return address.origin
    }
  }
  return null
}

/** Commands that talk to the service, also with settings that nobody named. */
const TALKING = ['run', 'sessions', 'verify', 'doctor', 'webhook']

/**
 * The same for the commands, which may be given their settings and else take those of the station.
 *
 * @param {readonly string[]} args of the command
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | null}
 */
export const agentServiceBeyondThisPc = (args, cwd, env = process.env) => {
  const named = valuesOf(args, /^--(?:settings|managed)(?:=(.*))?$/s)
  const station = args.some((argument) => TALKING.includes(argument))
    ? [env.SLUICE_DATA ?? '', ...dataFolders(args, { env, cwd })].map((folder) =>
        path.join(folder, 'settings.json'),
      )
    : []
  for (const file of [...named, ...station]) {
    const address = addressIn(path.resolve(cwd, file))
    if (address !== null && !isLoopback(address)) return address.origin
  }
  return null
}

/** @param {readonly string[]} args @param {RegExp} option with its value, if it stands there, as its group */
const valuesOf = (args, option) =>
  args.flatMap((argument, at) => {
    const match = option.exec(argument)
    return match === null ? [] : [match[1] ?? args[at + 1] ?? '']
  })

/** @param {string} file */
const addressIn = (file) => {
  try {
    const address = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))?.service?.base_url
    return typeof address === 'string' && URL.canParse(address.trim()) ? new URL(address.trim()) : null
  } catch {
    // The app cannot read it either, and talks to nobody.
    return null
  }
}

const isLoopback = (/** @type {URL} */ { hostname }) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)

/**
 * Each folder that an argument or the system may make the app's own: better one too many is looked at.
 *
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, cwd: string, platform?: string, home?: string }} where
 */
const dataFolders = (args, { env, cwd, platform = process.platform, home = os.homedir() }) => {
  const folders = valuesOf(args, /^--(?:data|user-data-dir)(?:=(.*))?$/s).map((folder) =>
    path.resolve(cwd, folder),
  )
  return args.some((argument) => /^--data(=|$)/.test(argument))
    ? folders
    : [...folders, path.join(configFolder(env, platform, home), 'sluice')]
}

/** @param {NodeJS.ProcessEnv} env @param {string} platform @param {string} home */
const configFolder = (env, platform, home) => {
  switch (platform) {
    case 'win32':
      return env.APPDATA ?? path.join(home, 'AppData/Roaming')
    case 'darwin':
      return path.join(home, 'Library/Application Support')
    default:
      return env.XDG_CONFIG_HOME || path.join(home, '.config')
  }
}
