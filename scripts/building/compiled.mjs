import { existsSync } from 'node:fs'
import { mkdir, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../launcher/project.mjs'
import { programFile } from './programs.mjs'
import { isCompiledStale, OUT } from './stale.mjs'

const LOCK = path.join(ROOT, 'node_modules', '.sluice-compiling')
const LONGEST_COMPILE_MS = 120_000

/**
 * The bundled form of a program, bundled first where it is missing or old. It is what ships, it starts faster than the
 * source, and it needs 60 MB less: Node's type stripping stays in memory, once per thread.
 *
 * @param {string} entry relative to the repository
 */
export const compiledEntry = async (entry) => {
  // What compiles is read only then: every command waits for this.
  if (isCompiledStale())
    await alone(async () => isCompiledStale() && (await import('./build-steps.mjs')).compile())
  const compiled = programFile(OUT, entry)
  // Where it does not compile, the source still says why better than a half-written folder.
  return !isCompiledStale() && existsSync(compiled) ? compiled : path.join(ROOT, entry)
}

/**
 * Several commands may be started at once; one compiles, the others wait.
 *
 * @param {() => Promise<unknown>} work
 */
const alone = async (work) => {
  for (;;) {
    try {
      await mkdir(LOCK)
      break
    } catch {
      const held = await stat(LOCK).catch(() => null)
      // Left by a killed run.
      if (held !== null && Date.now() - held.mtimeMs > LONGEST_COMPILE_MS) await rmdir(LOCK).catch(() => {})
      await sleep(100)
    }
  }
  try {
    await work()
  } finally {
    await rmdir(LOCK).catch(() => {})
  }
}
