import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { exitBeforeReady } from './exit-before-ready.ts'

/** Waits until buffered output has reached the pipe. */
const waitForFlush = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else stream.write('', () => resolve())
  })

/** `sluice server` is a separate program, the service for a lab. Every other command belongs to the agent. */
export const programFor = (
  commandArguments: readonly string[],
): { readonly file: string; readonly args: readonly string[] } =>
  commandArguments[0] === 'server'
    ? { file: 'server-cli.js', args: commandArguments.slice(1) }
    : { file: 'agent-cli.js', args: commandArguments }

/**
 * Runs the headless program inside the packaged app, whose fuses do not allow it to run as Node. The process ends
 * before the main module has finished, so Electron opens no window and needs no display.
 */
export const runCommand = async (folder: string, commandArguments: readonly string[]): Promise<never> => {
  const { file, args } = programFor(commandArguments)
  const program = path.join(folder, file)
  process.argv.splice(1, process.argv.length, program, ...args)
  await import(/* @vite-ignore */ pathToFileURL(program).href)
  await Promise.all([waitForFlush(process.stdout), waitForFlush(process.stderr)])
  return exitBeforeReady(Number(process.exitCode ?? 0))
}
