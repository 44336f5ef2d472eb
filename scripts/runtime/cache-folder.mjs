import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Refusal } from '../launcher/command.mjs'
import { rightsProblem } from './pinned-tree.mjs'

const WORK_PREFIX = 'unpacking-'
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Whoever may write to this folder may exchange what is in it after it was looked at.
 *
 * @param {string} cache
 */
export const keepCacheOwn = async (cache) => {
  await mkdir(cache, { recursive: true, mode: 0o755 })
  const { uid, mode } = await lstat(cache)
  if (uid === process.getuid?.()) await chmod(cache, mode & 0o777 & ~0o022)
  const problem = rightsProblem(cache)
  if (problem !== null)
    throw new Refusal(
      `the cache folder ${cache} ${problem}; correct that, or name another one with SLUICE_CACHE.`,
    )
}

/**
 * Gives a folder to work in, beside what is kept: what is whole is renamed to its place, the rest goes.
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

/** What a killed run left behind. Young ones may belong to a run that is under way. */
const removeAbandoned = async (/** @type {string} */ cache) => {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(WORK_PREFIX)) continue
    const leftover = path.join(cache, name)
    const age = Date.now() - (await stat(leftover).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs
    if (age > ABANDONED_AFTER_MS) await rm(leftover, { recursive: true, force: true })
  }
}
