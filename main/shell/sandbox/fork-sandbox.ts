import { utilityProcess } from 'electron'
import type { SandboxChild } from './embedded-sandbox.ts'

export const forkSandbox =
  (entry: string, log: (message: string) => void) =>
  (args: readonly string[]): SandboxChild => {
    const child = utilityProcess.fork(entry, [...args], { serviceName: 'Sluice sandbox', stdio: 'pipe' })
    // The sandbox normally prints nothing, so any output is unexpected and worth logging.
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => log(`sandbox: ${chunk.toString('utf8').trimEnd()}`))
    return child
  }
