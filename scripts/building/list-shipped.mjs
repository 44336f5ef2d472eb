import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ROOT } from '../launcher/project.mjs'
import { bundledPlaces } from './bundled-packages.mjs'
import { licencesOf } from './licences.mjs'
import { makeSbom } from './sbom.mjs'
import { readLockfile, shippedPackages } from './shipped-packages.mjs'

/** Writes the bill of materials and the licences into `out/`; the package contains both. */
export const listShipped = async () => {
  await writeLists(ROOT, null)
}

/**
 * Like `listShipped`, and adds the Electron to be packaged.
 *
 * @param {import('../runtime/find-runtime.mjs').Electron} electron
 * @param {string} tree the folder to package; for a different machine it has different packages
 * @returns {Promise<string>} the path of the bill of materials
 */
export const listShippedWith = async ({ dist, executable, source }, tree) => {
  const hash = createHash('sha512')
  await pipeline(createReadStream(executable), hash)
  const version = (await readFile(path.join(dist, 'version'), 'utf8')).trim().replace(/^v/, '')
  return writeLists(tree, { version, source, sha512: hash.digest('hex') })
}

/**
 * @param {string} tree
 * @param {import('./sbom.mjs').Runtime | null} runtime
 */
const writeLists = async (tree, runtime) => {
  const bundled = bundledPlaces()
  const rootOf = (/** @type {string} */ place) =>
    // The bundler read these packages here, even if the tree is for a different machine.
    [tree, ...(bundled.includes(place) ? [ROOT] : [])].find((root) => existsSync(path.join(root, place)))
  const packages = shippedPackages(readLockfile(), bundled, (place) => rootOf(place) !== undefined)
  const licences = packages.flatMap((one) => licencesOf([one], rootOf(one.place) ?? tree))
  await writeFile(path.join(tree, 'out/licences.json'), `${JSON.stringify(licences, null, 2)}\n`)
  const { name, version, license } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const sbom = path.join(tree, 'out/sbom.cdx.json')
  const bill = makeSbom({ name, version, licence: license }, packages, runtime)
  await writeFile(sbom, `${JSON.stringify(bill, null, 2)}\n`)
  return sbom
}
