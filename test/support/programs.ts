import path from 'node:path'
import { programFile } from '../../scripts/building/programs.mjs'

const root = path.resolve(import.meta.dirname, '../..')

/** `npm test` bundles the programs first, because bundles start faster, and passes their folder. */
const programOf = (entry: string): string => {
  const bundleFolder = process.env.SLUICE_COMPILED
  return bundleFolder === undefined ? path.join(root, entry) : programFile(bundleFolder, entry)
}

export const agentProgram = programOf('main/cli/cli.ts')
/** The agent as the app forks it. */
export const agentProcess = programOf('main/agent/process.ts')
export const sandboxProgram = programOf('sandbox/cli.ts')
export const serverProgram = programOf('server/cli.ts')
