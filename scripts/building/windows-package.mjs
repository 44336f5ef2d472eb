import { readdir } from 'node:fs/promises'
import path from 'node:path'

export const APP_ID = 'org.sluice.agent'

/**
 * @typedef {object} WindowsPackageOptions
 * @property {string} app the unpacked app
 * @property {string} folder the folder of the packages
 * @property {string} work a temporary folder
 * @property {string} version
 * @property {string} displayName
 * @property {string} publisher
 * @property {boolean} isRelease
 */

/**
 * The arguments of icacls for `%ProgramData%\Sluice`: Administrators and SYSTEM can write, Users can read. The
 * arguments use SIDs, because account names depend on the language of Windows. With /L, icacls does not follow a
 * planted link.
 */
export const MACHINE_FOLDER_ACCESS = {
  owner: '/L /setowner *S-1-5-32-544',
  reset: '/L /reset',
  grant:
    '/L /inheritance:r /grant:r "*S-1-5-32-544:(OI)(CI)F" "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-545:(OI)(CI)RX"',
}

/** Lists all files, in the same order on every machine. @param {string} folder @returns {Promise<string[]>} */
export const filesIn = async (folder) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
}

/** Drops the suffix of a pre-release, because Windows compares only numbers. @param {string} version */
export const numbersOf = (version) => version.split('-')[0] ?? version
