import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ROOT } from '../launcher/project.mjs'
import { bundledPackagePaths } from './bundled-packages.mjs'
import { licencesOf } from './licences.mjs'
import { makeSbom } from './sbom.mjs'
import { readLockfile, shippedPackages } from './shipped-packages.mjs'

/** Writes the bill of materials and the licences into `out/`, and so into the package. */
export const listShipped = async () => {
  await writeLists(ROOT, null, projectVersion())
}

/**
 * Like `listShipped`, but also lists the Electron to be packaged.
 *
 * @param {import('../runtime/find-runtime.mjs').Electron} electron
 * @param {string} tree the folder to package: the project, or a copy with the npm packages of another platform
 * @param {string} appVersion
 * @returns {Promise<string>} the path of the bill of materials
 */
export const listShippedWithElectron = async ({ dist, executable, source }, tree, appVersion) => {
  const hash = createHash('sha512')
  await pipeline(createReadStream(executable), hash)
  const version = (await readFile(path.join(dist, 'version'), 'utf8')).trim().replace(/^v/, '')
  return writeLists(tree, { version, source, sha512: hash.digest('hex') }, appVersion)
}

/**
 * @param {string} tree
 * @param {import('./sbom.mjs').Runtime | null} runtime
 * @param {string} version
 */
const writeLists = async (tree, runtime, version) => {
  const bundledPaths = bundledPackagePaths()
  const rootOf = (/** @type {string} */ packagePath) =>
    // Bundled packages come from ROOT, even if `tree` is for another machine.
    [tree, ...(bundledPaths.includes(packagePath) ? [ROOT] : [])].find((root) =>
      existsSync(path.join(root, packagePath)),
    )
  const packages = shippedPackages(
    readLockfile(),
    bundledPaths,
    (packagePath) => rootOf(packagePath) !== undefined,
  )
  const licences = packages.flatMap((shipped) => licencesOf([shipped], rootOf(shipped.packagePath) ?? tree))
  await writeFile(path.join(tree, 'out/licences.json'), `${JSON.stringify(licences, null, 2)}\n`)
  const { name, license } = readPackageJson()
  const sbomFile = path.join(tree, 'out/sbom.cdx.json')
  const bill = makeSbom({ name, version, licence: license }, packages, runtime)
  await writeFile(sbomFile, `${JSON.stringify(bill, null, 2)}\n`)
  return sbomFile
}

/** @returns {{ name: string, version: string, license: string }} */
const readPackageJson = () => JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))

export const projectVersion = () => readPackageJson().version
