import { writeSync } from 'node:fs'

/** The code of a start that was asked for something it cannot do. */
export const WRONG_START = 1

/**
 * Ends a start that leads nowhere, or a command that is done. Electron's threads run already and it is not ready yet:
 * `exit` would take apart under them what they use, which ended 4 to 9 of 100 starts in SIGABRT. Being ready cannot
 * be waited for: without a display it never comes, and a second start would first open the profile of the first.
 * Another program in this one's place ends all threads at once, and its exit code is ours. Windows ends the threads
 * itself before it takes anything apart.
 */
export const endBeforeReady = (code: number): never => {
  if (process.platform !== 'win32') process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.exit(code)
}

/** With what there is to say. */
export const endStart = (code: 0 | typeof WRONG_START, words: string): never => {
  try {
    // Written at once, and not by a stream that an end could overtake.
    writeSync(code === 0 ? 1 : 2, `${words}\n`)
  } catch {
    // Nobody listens.
  }
  return endBeforeReady(code)
}
