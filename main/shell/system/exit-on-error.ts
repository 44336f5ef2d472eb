import { writeSync } from 'node:fs'
import { redact } from '../../../shared/redaction/redact.ts'
import { showLine } from '../../../shared/words/escape-text.ts'
import { endBeforeReady } from '../early-exit/exit-before-ready.ts'

const end = (fault: unknown): never => {
  const { code, stack = String(fault) } = fault instanceof Error ? (fault as NodeJS.ErrnoException) : {}
  try {
    if (code !== 'EPIPE') for (const line of redact(stack).split('\n')) writeSync(2, `${showLine(line)}\n`)
  } catch {
    // Nobody listens.
  }
  return endBeforeReady(1)
}

/**
 * For a command in the package: by itself Electron shows a box where nobody looks, and goes on with half a program. As
 * from source it ends with 1, so that whoever watches over it starts it again. That a reader has gone (`sluice logs |
 * head`) is told nobody.
 */
export const endAtFaults = (): void => {
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}
