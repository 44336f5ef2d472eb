import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'

const host = path.join(import.meta.dirname, 'utility-host.ts')

export type UtilityChild = ChildProcess & { postMessage(message: unknown): void }

/**
 * Replaces Electron's `utilityProcess.fork`. `entry` is the file that Electron would run. `through` is a command
 * prefix, such as `unshare`.
 */
export const forkUtility = (
  entry: string,
  args: readonly string[],
  options: {
    readonly stdio?: 'inherit' | 'pipe'
    readonly through?: readonly string[]
    readonly env?: NodeJS.ProcessEnv
  } = {},
): UtilityChild => {
  const [program = process.execPath, ...rest] = [...(options.through ?? []), process.execPath]
  const child = fork(host, [entry, ...args], {
    serialization: 'advanced',
    silent: options.stdio === 'pipe',
    execPath: program,
    execArgv: rest,
    env: options.env ?? process.env,
  })
  // A message to a process that has just ended is lost silently, as in Electron.
  const postMessage = (message: unknown) => void child.send(message as object, () => {})
  return Object.assign(child, { postMessage })
}
