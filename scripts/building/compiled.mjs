import { existsSync } from 'node:fs'
import { mkdir, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../launcher/project.mjs'
import { programFile } from './programs.mjs'
import { areBundlesStale, isLabPageStale, OUT } from './stale.mjs'

const LOCK = path.join(ROOT, 'node_modules', '.sluice-compiling')
/** The only program that serves a page. */
const SERVER = 'server/cli.ts'
const COMPILE_TIMEOUT_MS = 120_000

/**
 * Returns the bundle of a program, and compiles it first if it is missing or stale. If this fails, returns the source.
 * A bundle starts faster and needs 60 MB less memory, because no thread loads Node's type stripper.
 *
 * @param {string} entry relative to the repository
 */
export const compiledEntry = async (entry) => {
  // Import `build-steps.mjs` only if needed: every command waits here, but few commands compile.
  if (areBundlesStale())
    await withCompileLock(async () => areBundlesStale() && (await import('./build-steps.mjs')).compile())
  if (entry === SERVER && isLabPageStale())
    await withCompileLock(async () => isLabPageStale() && (await import('./build-steps.mjs')).buildLabPage())
  const compiled = programFile(OUT, entry)
  // If compiling failed, run the source, because its error messages are better than those of a half-written bundle.
  return !areBundlesStale() && existsSync(compiled) ? compiled : path.join(ROOT, entry)
}

/**
 * Lets only one command compile at a time. Does not call `work` if this account cannot write to `node_modules`.
 *
 * @param {() => Promise<unknown>} work
 */
const withCompileLock = async (work) => {
  if (!(await takeCompileLock())) return
  try {
    await work()
  } finally {
    await rmdir(LOCK).catch(() => {})
  }
}

/** Waits for the lock. Returns false if the lock cannot be created, or if a stale lock cannot be removed. */
const takeCompileLock = async () => {
  for (;;) {
    try {
      await mkdir(LOCK)
      return true
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return false
    }
    const lock = await stat(LOCK).catch(() => null)
    // The lock is so old that a killed run must have left it.
    if (lock !== null && Date.now() - lock.mtimeMs > COMPILE_TIMEOUT_MS) {
      const problem = await rmdir(LOCK).catch(codeOf)
      if (problem !== undefined && problem !== 'ENOENT') return false
    }
    await sleep(100)
  }
}

const codeOf = (/** @type {unknown} */ error) => /** @type {NodeJS.ErrnoException} */ (error).code
