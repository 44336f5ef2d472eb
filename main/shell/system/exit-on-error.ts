import { writeSync } from 'node:fs'
import { redact } from '../../../shared/redaction/redact.ts'
import { showLine } from '../../../shared/words/escape-text.ts'
import { exitBeforeReady } from '../early-exit/exit-before-ready.ts'

const exitAfter = (fault: unknown): never => {
  const { code, stack = String(fault) } = fault instanceof Error ? (fault as NodeJS.ErrnoException) : {}
  try {
    if (code !== 'EPIPE') for (const line of redact(stack).split('\n')) writeSync(2, `${showLine(line)}\n`)
  } catch {
    // The reader has closed the pipe.
  }
  return exitBeforeReady(1)
}

/**
 * Ends a packaged command with exit code 1 after an uncaught error, so that a service manager restarts it. By default,
 * Electron shows an error dialog and keeps a broken program running. A closed pipe, as in `sluice logs | head`, is not
 * worth a message.
 */
export const exitOnErrors = (): void => {
  process.on('uncaughtException', exitAfter)
  process.on('unhandledRejection', exitAfter)
}
