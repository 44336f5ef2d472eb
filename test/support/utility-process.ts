import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'

const host = path.join(import.meta.dirname, 'utility-host.ts')

export type UtilityChild = ChildProcess & { postMessage(message: unknown): void }

/** Stands in for Electron's `utilityProcess.fork`; `entry` is the file that Electron would run. */
export const forkUtility = (
  entry: string,
  args: readonly string[],
  options: { readonly stdio?: 'inherit' | 'pipe' } = {},
): UtilityChild => {
  const child = fork(host, [entry, ...args], {
    serialization: 'advanced',
    silent: options.stdio === 'pipe',
  })
  // A message to a process that has just ended is lost without a word, as it is in Electron.
  const postMessage = (message: unknown) => void child.send(message as object, () => {})
  return Object.assign(child, { postMessage })
}
