import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ExpectedFailure } from '../launcher/command.mjs'
import { permissionProblem } from './pinned-tree.mjs'

const WORK_PREFIX = 'unpacking-'
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Makes the cache writable for its owner only. Otherwise, another user could replace verified files.
 *
 * @param {string} cache
 */
export const ensureCachePrivate = async (cache) => {
  await mkdir(cache, { recursive: true, mode: 0o755 })
  const { uid, mode } = await lstat(cache)
  if (uid === process.getuid?.()) await chmod(cache, mode & 0o777 & ~0o022)
  const problem = permissionProblem(cache)
  if (problem !== null)
    throw new ExpectedFailure(
      `the cache folder ${cache} ${problem}; correct this, or set SLUICE_CACHE to a different folder.`,
    )
}

/**
 * Calls `use` with a work folder in the cache, and then removes the folder. `use` must move its results out first.
 *
 * @template T
 * @param {string} cache
 * @param {(work: string) => Promise<T>} use
 */
export const withWorkFolder = async (cache, use) => {
  await removeAbandoned(cache)
  const work = await mkdtemp(path.join(cache, WORK_PREFIX))
  try {
    return await use(work)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Removes work folders of killed runs. A recent folder may belong to a run in progress. */
const removeAbandoned = async (/** @type {string} */ cache) => {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(WORK_PREFIX)) continue
    const leftover = path.join(cache, name)
    const ageMs = Date.now() - (await stat(leftover).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs
    if (ageMs > ABANDONED_AFTER_MS) await rm(leftover, { recursive: true, force: true })
  }
}
