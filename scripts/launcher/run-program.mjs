import { existsSync } from 'node:fs'
import path from 'node:path'
import { compiledEntry } from '../building/compiled.mjs'
import {
  allowsFallback,
  refuseRemoteService,
  remoteServiceOfCommand,
  removeFallbackFlag,
} from '../runtime/fallback-electron.mjs'
import { findNode } from '../runtime/find-runtime.mjs'
import { runInPlace } from './child.mjs'
import { ExpectedFailure } from './command.mjs'
import { ROOT } from './project.mjs'

const AGENT = 'main/cli/cli.ts'
/** These programs run as bundles, as in a package. All others run from source. */
const BUNDLED_PROGRAMS = [AGENT, 'sandbox/cli.ts', 'server/cli.ts']

/**
 * Runs a program of this repository until it ends. The agent's commands do not get the flag that allows the fallback
 * Electron, because only the launcher knows it.
 *
 * @param {string} entry
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {Partial<import('../runtime/find-runtime.mjs').Search>} [search]
 * @returns {Promise<number>}
 */
export const runProgram = async (entry, args, cwd, search) => {
  const file = path.resolve(ROOT, entry)
  if (!existsSync(file)) throw new ExpectedFailure(`${entry} does not exist.`)
  const node = await findNode(search)
  const isAgent = entry === AGENT
  if (isAgent && node.isFallback && !allowsFallback(args))
    refuseRemoteService(remoteServiceOfCommand(args, cwd), 'npm run sluice --')
  const program = BUNDLED_PROGRAMS.includes(entry) ? await compiledEntry(entry) : file
  const programArgs = isAgent ? removeFallbackFlag(args) : args
  return runInPlace(node.executable, [program, ...programArgs], { env: node.env, cwd })
}
