import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ExpectedFailure } from '../launcher/command.mjs'

export const ALLOW_FALLBACK = '--allow-fallback-electron'

/** @param {readonly string[]} args */
export const allowsFallback = (args) => args.includes(ALLOW_FALLBACK)

/** Removes the flag, because it is an option of the launcher. @param {readonly string[]} args */
export const removeFallbackFlag = (args) => args.filter((argument) => argument !== ALLOW_FALLBACK)

/** @param {string | null} address of a remote service @param {string} commandStart the command before the flag */
export const refuseRemoteService = (address, commandStart) => {
  if (address === null) return
  throw new ExpectedFailure(
    `the fallback Electron is for development and tests, but the settings name ${address}; use the official ` +
      `Electron (ELECTRON_OVERRIDE_DIST_PATH), or run: ${commandStart} ${ALLOW_FALLBACK}`,
  )
}

/**
 * Tells the app that it runs on the fallback Electron: `allowed` if the user passed the flag, otherwise `1`. With `1`,
 * the app itself checks the service address, because its settings may change while it runs.
 */
export const FALLBACK_VARIABLE = 'SLUICE_FALLBACK_ELECTRON'

/**
 * Returns the address of a remote service in the app's settings, or null. A third party packaged the fallback Electron,
 * so it may handle real keys and recordings only if the user allows that.
 *
 * @param {readonly string[]} args of the app
 * @param {{ env: NodeJS.ProcessEnv, cwd: string, platform?: string, home?: string }} where
 * @returns {string | null}
 */
export const remoteServiceOfApp = (args, where) => {
  for (const folder of dataFolders(args, where)) {
    // The app uses the second file if the first is damaged or missing.
    for (const name of ['settings.json', 'settings.last-good.json']) {
      const address = addressIn(path.join(folder, name))
      if (address !== null && !isLoopback(address)) return address.origin
    }
  }
  return null
}

/** These commands connect to the service that the station's settings name. */
const COMMANDS_WITH_SERVICE = ['run', 'sessions', 'verify', 'doctor', 'webhook']

/**
 * Like `remoteServiceOfApp`, for a command. Reads the settings files that the arguments name. For
 * `COMMANDS_WITH_SERVICE`, also reads the station's settings files.
 *
 * @param {readonly string[]} args of the command
 * @param {string} cwd
 * @returns {string | null}
 */
export const remoteServiceOfCommand = (args, cwd) => {
  const { env } = process
  const namedFiles = valuesOf(args, /^--(?:settings|managed)(?:=(.*))?$/s)
  const stationFiles = args.some((argument) => COMMANDS_WITH_SERVICE.includes(argument))
    ? [env.SLUICE_DATA ?? '', ...dataFolders(args, { env, cwd })].map((folder) =>
        path.join(folder, 'settings.json'),
      )
    : []
  for (const file of [...namedFiles, ...stationFiles]) {
    const address = addressIn(path.resolve(cwd, file))
    if (address !== null && !isLoopback(address)) return address.origin
  }
  return null
}

/**
 * Returns the values of an option, from `--name=value` and `--name value`.
 *
 * @param {readonly string[]} args
 * @param {RegExp} option its group captures the value after `=`
 */
const valuesOf = (args, option) =>
  args.flatMap((argument, index) => {
    const match = option.exec(argument)
    return match === null ? [] : [match[1] ?? args[index + 1] ?? '']
  })

/** @param {string} file */
const addressIn = (file) => {
  try {
    const address = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))?.service?.base_url
    return typeof address === 'string' && URL.canParse(address.trim()) ? new URL(address.trim()) : null
  } catch {
    // A missing or damaged file names no service.
    return null
  }
}

const isLoopback = (/** @type {URL} */ { hostname }) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)

/**
 * Every data folder that the app might use. An extra folder only makes the check stricter.
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
