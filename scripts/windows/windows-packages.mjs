import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { readLockfile } from '../building/shipped-packages.mjs'
import { capture, systemProgram } from '../launcher/child.mjs'
import { ExpectedFailure, log } from '../launcher/command.mjs'
import { fetchVerified, isVerified } from '../runtime/fetch-package.mjs'

/**
 * Native packages of the test tools. `better-sqlite3` is not listed, because its package has the binaries for every
 * machine.
 */
const toolPaths = (/** @type {string} */ arch) => [
  `node_modules/@rolldown/binding-win32-${arch}-msvc`,
  `node_modules/lightningcss-win32-${arch}-msvc`,
  `node_modules/@oxc-parser/binding-win32-${arch}-msvc`,
]

/**
 * Returns the Windows packages of the app and of the test tools. npm installs native packages only for this machine,
 * but the lockfile pins those of every machine.
 *
 * @param {import('../building/lockfile.mjs').Lockfile} lockfile
 * @param {string} arch
 * @returns {readonly string[]}
 */
export const windowsPackagePaths = ({ packages }, arch) => {
  const shipped = Object.entries(packages)
    .filter(
      ([, { os, cpu, dev, devOptional }]) => os?.includes('win32') && fits(cpu, arch) && !dev && !devOptional,
    )
    .map(([packagePath]) => packagePath)
  return [...toolPaths(arch), ...shipped]
}

/** @param {readonly string[] | undefined} cpu @param {string} arch */
const fits = (cpu, arch) => cpu?.includes(arch) ?? true

/**
 * Unpacks the Windows packages into a folder, which the container layers over the repository. Each use verifies the
 * cached tarballs with the lockfile's sha512.
 *
 * @param {string} cache
 * @param {string} folder
 */
export const unpackWindowsPackages = async (cache, folder) => {
  const lockfile = readLockfile()
  for (const packagePath of windowsPackagePaths(lockfile, process.arch)) {
    const { version, integrity } = lockfile.packages[packagePath] ?? {}
    if (version === undefined || integrity === undefined)
      throw new ExpectedFailure(`the lockfile does not name ${packagePath}, which the Windows tests need.`)
    const name = packagePath.slice('node_modules/'.length)
    const tarball = await cachedTarball({ name, version, integrity }, cache)
    const target = path.join(folder, packagePath)
    await mkdir(target, { recursive: true })
    const tarArgs = ['-xzf', tarball, '-C', target, '--strip-components=1', '--no-same-owner']
    const { code, output } = await capture(systemProgram('tar'), tarArgs)
    if (code !== 0) throw new ExpectedFailure(`could not unpack ${name}@${version}: ${output.trim()}.`)
  }
}

/**
 * @param {import('../runtime/fetch-package.mjs').PinnedPackage} pinned
 * @param {string} cache
 */
const cachedTarball = async (pinned, cache) => {
  const file = path.join(cache, `${pinned.name.replace('/', '+')}@${pinned.version}.tgz`)
  if (existsSync(file) && (await isVerified(pinned, file))) return file
  log(`fetching ${pinned.name}@${pinned.version}, once…`)
  await fetchVerified(pinned, { cache }, (tarball) => rename(tarball, file))
  return file
}
