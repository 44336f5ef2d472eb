import { expect } from 'vitest'
import type { AppStation } from './app.ts'

type WindowlessStart = {
  readonly what: string
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly message: RegExp
  readonly code: number
}

/** A second start on the data folder of a running app. */
export const secondStart: WindowlessStart = {
  what: 'already running',
  message: /Sluice is already running/,
  code: 1,
}

/** Starts that print a message and exit without a window. */
export const windowlessStarts: readonly WindowlessStart[] = [
  { what: 'an unknown option', args: ['--nonsense'], message: /Unknown option/, code: 1 },
  {
    what: 'an option with an escape code for the terminal',
    args: ['--non\u001b[2Jsense'],
    message: /Unknown option '--non\\u001b\[2Jsense'/,
    code: 1,
  },
  {
    what: 'a data folder that cannot be created',
    args: ['--data', '/proc/sluice'],
    message: /cannot write to the data folder/,
    code: 1,
  },
  {
    what: 'no display',
    env: { DISPLAY: undefined, WAYLAND_DISPLAY: undefined },
    message: /there is no display/,
    code: 1,
  },
  { what: 'a request for help', args: ['--help'], message: /^Usage: sluice/m, code: 0 },
]

/**
 * Starts the app several times. Each start must print the expected message and exit with the expected code. A signal or a
 * stack trace is a failure.
 */
export const expectMessageAndExit = async (
  station: AppStation,
  start: WindowlessStart,
  times: number,
): Promise<void> => {
  for (let n = 1; n <= times; n += 1) {
    const { code, said } = await station.runApp(start.args, start.env)
    expect(said).toMatch(start.message)
    expect(said).not.toMatch(/\n\s+at /)
    expect(code, `start ${n} of ${times} (${start.what}), which printed ${said}`).toBe(start.code)
  }
}
