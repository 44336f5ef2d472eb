import { existsSync } from 'node:fs'
import path from 'node:path'
import { compiledEntry } from '../building/compiled.mjs'
import {
  agentServiceBeyondThisPc,
  allowsFallback,
  refuseBeyondThisPc,
  withoutAllowance,
} from '../runtime/fallback-service.mjs'
import { findNode } from '../runtime/find-runtime.mjs'
import { runInPlace } from './child.mjs'
import { Refusal } from './command.mjs'
import { ROOT } from './project.mjs'

const AGENT = 'main/agent/entry/cli.ts'
/** What ships; everything else runs from its source. */
const COMPILED = [AGENT, 'sandbox/cli.ts']

/**
 * Runs a program of this tree on Electron's Node, until it ends. Its arguments are its own; only the allowance of the
 * fallback Electron is the launcher's, and only the agent's, which talks to services.
 *
 * @param {string} entry
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {Partial<import('../runtime/find-runtime.mjs').Search>} [search]
 * @returns {Promise<number>}
 */
export const runProgram = async (entry, args, cwd, search) => {
  const file = path.resolve(ROOT, entry)
  if (!existsSync(file)) throw new Refusal(`there is no ${entry} to run.`)
  const node = await findNode(search)
  const isAgent = entry === AGENT
  if (isAgent && node.fallback && !allowsFallback(args))
    refuseBeyondThisPc(agentServiceBeyondThisPc(args, cwd), 'npm run sluice --')
  const program = COMPILED.includes(entry) ? await compiledEntry(entry) : file
  const own = isAgent ? withoutAllowance(args) : args
  return runInPlace(node.executable, [program, ...own], { env: node.env, cwd })
}
