import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ROOT } from '../launcher/project.mjs'
import { bundledPlaces } from './bundled-packages.mjs'
import { licencesOf } from './licences.mjs'
import { makeSbom } from './sbom.mjs'
import { readLockfile, shippedPackages } from './shipped-packages.mjs'

const SBOM = path.join(ROOT, 'out/sbom.cdx.json')
const LICENCES = path.join(ROOT, 'out/licences.json')

/** Writes into `out/` what is shipped and under which licences; both go into the package. */
export const listShipped = async () => {
  const packages = shippedPackages(readLockfile(), bundledPlaces())
  await writeFile(LICENCES, `${JSON.stringify(licencesOf(packages, ROOT), null, 2)}\n`)
  await writeSbom(packages, null)
}

/**
 * The same with the Electron that is about to be packaged.
 *
 * @param {import('../runtime/find-runtime.mjs').Electron} electron
 * @returns {Promise<string>} the file
 */
export const listShippedWith = async ({ dist, executable, source }) => {
  const hash = createHash('sha512')
  await pipeline(createReadStream(executable), hash)
  const version = (await readFile(path.join(dist, 'version'), 'utf8')).trim().replace(/^v/, '')
  const packages = shippedPackages(readLockfile(), bundledPlaces())
  return writeSbom(packages, { version, source, sha512: hash.digest('hex') })
}

/**
 * @param {readonly import('./shipped-packages.mjs').ShippedPackage[]} packages
 * @param {import('./sbom.mjs').Runtime | null} runtime
 */
const writeSbom = async (packages, runtime) => {
  const { name, version, license } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const sbom = makeSbom({ name, version, licence: license }, packages, runtime)
  await writeFile(SBOM, `${JSON.stringify(sbom, null, 2)}\n`)
  return SBOM
}
