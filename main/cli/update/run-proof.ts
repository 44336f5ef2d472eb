import { execFile } from 'node:child_process'

const TIMEOUT_MS = 5 * 60_000
const MAX_REASON_CHARS = 500

/**
 * Lets the installed new version test whether it can use the journal, while this process still runs the old version.
 * Returns the reason why it cannot, or null if it can.
 */
export const runProof = (
  [program = '', ...firstArgs]: readonly string[],
  dataFolder: string,
): Promise<string | null> =>
  new Promise((resolve) => {
    execFile(
      program,
      [...firstArgs, 'update', 'prove', '--data', dataFolder],
      { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', windowsHide: true },
      (error, _stdout, stderr) => {
        if (error === null) return resolve(null)
        const lastLine = stderr.trim().split('\n').at(-1) ?? ''
        const reason = error.killed === true ? 'it did not answer within five minutes.' : lastLine
        resolve((reason || 'it did not start.').slice(0, MAX_REASON_CHARS))
      },
    )
  })
