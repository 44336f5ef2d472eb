import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** `npm test` has just compiled everything and says where: what ships is what is tested, and it starts faster. */
const programOf = (entry: string): string => {
  const compiled = process.env.SLUICE_COMPILED
  return compiled === undefined ? path.join(root, entry) : path.join(compiled, entry.replace(/\.ts$/, '.js'))
}

export const agentProgram = programOf('main/agent/entry/cli.ts')
export const sandboxProgram = programOf('sandbox/cli.ts')
