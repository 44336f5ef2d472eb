import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ExpectedFailure } from '../launcher/command.mjs'
import { ROOT } from '../launcher/project.mjs'
import { lockfileProblems } from './lockfile.mjs'

/**
 * @typedef {object} ShippedPackage
 * @property {string} packagePath in the lockfile and on the disk
 * @property {string} name
 * @property {string} version
 * @property {string} licence an SPDX licence expression
 * @property {string} integrity
 */

/**
 * Returns the packages whose code reaches a station: packages in the app's `node_modules` and packages in a bundle.
 *
 * @param {import('./lockfile.mjs').Lockfile} lockfile
 * @param {readonly string[]} bundled the paths of the bundled packages, as in the lockfile
 * @param {(packagePath: string) => boolean} [isInstalled] false for packages of other platforms
 * @returns {readonly ShippedPackage[]}
 */
export const shippedPackages = (lockfile, bundled, isInstalled = isInTree) => {
  const [problem] = lockfileProblems(lockfile)
  if (problem !== undefined) throw new ExpectedFailure(`the lockfile cannot be trusted: ${problem}.`)
  const unknown = bundled.find((packagePath) => lockfile.packages[packagePath] === undefined)
  if (unknown !== undefined) throw new ExpectedFailure(`${unknown} is bundled, but is not in the lockfile.`)
  return Object.entries(lockfile.packages)
    .filter(
      ([packagePath, { dev, devOptional }]) =>
        packagePath !== '' && ((!dev && !devOptional) || bundled.includes(packagePath)),
    )
    .filter(([packagePath]) => isInstalled(packagePath))
    .map(([packagePath, { version = '', license, integrity = '' }]) => {
      if (license === undefined) throw new ExpectedFailure(`${packagePath} is shipped, but names no licence.`)
      const name = packagePath.slice(packagePath.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return { packagePath, name, version, licence: license, integrity }
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1))
}

/** @returns {import('./lockfile.mjs').Lockfile} */
export const readLockfile = () => JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'))

const isInTree = (/** @type {string} */ packagePath) => existsSync(path.join(ROOT, packagePath))
