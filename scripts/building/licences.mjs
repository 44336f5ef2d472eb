import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** @typedef {import('./shipped-packages.mjs').ShippedPackage} ShippedPackage */

/**
 * @typedef {object} Licence
 * @property {string} name
 * @property {string} version
 * @property {string} licence an SPDX licence expression
 * @property {string | null} text as in the package, or null if it has none
 */

/** Packages that contain only a binary for one platform. Their licence text is in the main package, `owner`. */
const BINARY_PACKAGES = [{ prefix: '@koromix/koffi-', owner: 'node_modules/koffi' }]

/**
 * Returns the licences of shipped packages. Many licences require that the program shows their text.
 *
 * @param {readonly ShippedPackage[]} packages
 * @param {string} root the folder that each `packagePath` is relative to
 * @returns {readonly Licence[]}
 */
export const licencesOf = (packages, root) =>
  packages.map(({ packagePath, name, version, licence }) => ({
    name,
    version,
    licence,
    text: textIn(path.join(root, packagePath)) ?? textOfOwner(name, root),
  }))

const textOfOwner = (/** @type {string} */ name, /** @type {string} */ root) => {
  const owner = BINARY_PACKAGES.find(({ prefix }) => name.startsWith(prefix))?.owner
  return owner === undefined ? null : textIn(path.join(root, owner))
}

const textIn = (/** @type {string} */ folder) => {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice)/i.test(entry.name))
    .map(({ name }) => name)
    .sort()
  if (files.length === 0) return null
  return files.map((name) => readFileSync(path.join(folder, name), 'utf8').trim()).join('\n\n')
}
