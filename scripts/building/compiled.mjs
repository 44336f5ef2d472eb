import { existsSync } from 'node:fs'
import { mkdir, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../launcher/project.mjs'
import { programFile } from './programs.mjs'
import { areBundlesStale, OUT } from './stale.mjs'

const LOCK = path.join(ROOT, 'node_modules', '.sluice-compiling')
const COMPILE_TIMEOUT_MS = 120_000

/**
 * Returns the bundle of a program. Makes the bundle first if it is missing or old. Packages contain this bundle. It starts
 * faster than the source and needs 60 MB less, because Node keeps its type stripper in memory, once per thread.
 *
 * @param {string} entry relative to the repository
 */
export const compiledEntry = async (entry) => {
  // Imported late, because every command waits for this function and compiling is rare.
  if (areBundlesStale())
    await withCompileLock(async () => areBundlesStale() && (await import('./build-steps.mjs')).compile())
  const compiled = programFile(OUT, entry)
  // If compiling fails, run the source. Its error messages are better than those of a half-written bundle.
  return !areBundlesStale() && existsSync(compiled) ? compiled : path.join(ROOT, entry)
}

/**
 * If several commands start at once, one compiles and the others wait.
 *
 * @param {() => Promise<unknown>} work
 */
const withCompileLock = async (work) => {
  for (;;) {
    try {
      await mkdir(LOCK)
      break
    } catch {
      const held = await stat(LOCK).catch(() => null)
      // The lock is so old that a killed run must have left it.
      if (held !== null && Date.now() - held.mtimeMs > COMPILE_TIMEOUT_MS) await rmdir(LOCK).catch(() => {})
      await sleep(100)
    }
  }
  try {
    await work()
  } finally {
    await rmdir(LOCK).catch(() => {})
  }
}
