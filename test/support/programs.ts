import path from 'node:path'
import { programFile } from '../../scripts/building/programs.mjs'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * `npm test` bundles the programs first and passes the folder of the bundles. Bundles are the shipped code, and start
 * faster.
 */
const programOf = (entry: string): string => {
  const compiled = process.env.SLUICE_COMPILED
  return compiled === undefined ? path.join(root, entry) : programFile(compiled, entry)
}

export const agentProgram = programOf('main/cli/cli.ts')
/** The agent as the app forks it. */
export const agentProcess = programOf('main/agent/process.ts')
export const sandboxProgram = programOf('sandbox/cli.ts')
export const serverProgram = programOf('server/cli.ts')
