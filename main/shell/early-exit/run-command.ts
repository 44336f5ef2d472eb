import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { endBeforeReady } from './exit-before-ready.ts'

/** What is still on its way to a pipe would be lost with the process. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else stream.write('', () => resolve())
  })

/**
 * The program that `npm run sluice` runs, in this process: as long as main's own module has not run to its end, Electron
 * opens nothing and asks for no display. The fuses stay closed; there is no Node to start it with.
 */
export const runCommand = async (folder: string, args: readonly string[]): Promise<never> => {
  const program = path.join(folder, 'agent-cli.js')
  process.argv.splice(1, process.argv.length, program, ...args)
  await import(/* @vite-ignore */ pathToFileURL(program).href)
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  return endBeforeReady(Number(process.exitCode ?? 0))
}
