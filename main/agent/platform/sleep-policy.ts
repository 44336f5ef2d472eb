import { execFile } from 'node:child_process'
import type { SleepPolicy } from '../../../shared/ipc/station-check.ts'
import { windowsSystemFile } from '../../../shared/paths/system-files.ts'

const COMMAND_TIMEOUT_MS = 5_000

/**
 * The command that shows a system's sleep policy, and the function that reads its output. Only the policy for mains
 * power counts, because stations are plugged in.
 */
type Command = {
  /**
   * The full path, because Windows would search for a bare name in the current folder first, where other users may
   * write.
   */
  readonly program: string
  readonly args: readonly string[]
  readonly read: (output: string) => SleepPolicy
}

const policyOfMinutes = (minutes: number): SleepPolicy =>
  minutes > 0 ? { kind: 'after', minutes } : { kind: 'never' }

/**
 * powercfg translates its output, so this parser reads only the numbers. The last two numbers are the timeouts for
 * mains power and for the battery, in seconds.
 */
export const readPowercfg = (output: string): SleepPolicy => {
  const mains = [...output.matchAll(/0x([0-9a-f]{8})\s*$/gim)].at(-2)?.[1]
  return mains === undefined ? { kind: 'unknown' } : policyOfMinutes(Number.parseInt(mains, 16) / 60)
}

export const readPmset = (output: string): SleepPolicy => {
  const mains = output.split(/^(?=\w.*:\s*$)/m).find((block) => block.startsWith('AC')) ?? output
  const minutes = /^\s*sleep\s+(\d+)/m.exec(mains)?.[1]
  return minutes === undefined ? { kind: 'unknown' } : policyOfMinutes(Number(minutes))
}

/** If `sleep.target` is masked, Linux never sleeps. Otherwise the desktop decides when to sleep. */
export const readSystemctl = (output: string): SleepPolicy =>
  output.trim() === 'masked' ? { kind: 'never' } : { kind: 'unknown' }

const commands: Partial<Record<NodeJS.Platform, Command>> = {
  win32: {
    program: windowsSystemFile('powercfg.exe', process.env),
    args: ['/query', 'SCHEME_CURRENT', 'SUB_SLEEP', 'STANDBYIDLE'],
    read: readPowercfg,
  },
  darwin: { program: '/usr/bin/pmset', args: ['-g', 'custom'], read: readPmset },
  linux: { program: '/usr/bin/systemctl', args: ['is-enabled', 'sleep.target'], read: readSystemctl },
}

export const sleepPolicy = (): Promise<SleepPolicy> => {
  const command = commands[process.platform]
  if (command === undefined) return Promise.resolve({ kind: 'unknown' })
  return new Promise((resolve) => {
    execFile(
      command.program,
      [...command.args],
      { timeout: COMMAND_TIMEOUT_MS, killSignal: 'SIGKILL', windowsHide: true },
      // Ignore errors: systemctl prints "masked" with a non-zero exit code, and a missing program gives no output.
      (_error, output) => resolve(command.read(output)),
    )
  })
}
