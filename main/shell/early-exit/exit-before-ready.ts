import { writeSync } from 'node:fs'

/** The exit code for wrong arguments or an unusable environment. */
export const START_FAILED = 1

/**
 * Exits, usually before Electron is ready. `exit` would destroy objects that Electron's running threads use: 4 to 9 of
 * 100 starts ended in SIGABRT. So `execve` replaces the process with a shell, which ends all threads together, and the
 * shell exits with the given code. Waiting for `ready` is not possible: without a display, it never fires, and a second
 * instance would open the profile of the first. On Windows, `exit` is safe, because it ends the threads first.
 */
export const exitBeforeReady = (code: number): never => {
  if (process.platform !== 'win32') process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.exit(code)
}

export const exitWithMessage = (code: 0 | typeof START_FAILED, message: string): never => {
  try {
    // Synchronous, because the process could exit before a stream is flushed.
    writeSync(code === 0 ? 1 : 2, `${message}\n`)
  } catch {
    // The reader has closed the pipe.
  }
  return exitBeforeReady(code)
}
