import { expect } from 'vitest'
import type { AppStation } from './app.ts'

type WindowlessStart = {
  readonly situation: string
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly message: RegExp
  readonly code: number
}

/** A second start of the app, with the data folder of a running app. */
export const secondStart: WindowlessStart = {
  situation: 'already running',
  message: /Sluice is already running/,
  code: 1,
}

/** Starts that print a message and exit without a window. */
export const windowlessStarts: readonly WindowlessStart[] = [
  { situation: 'an unknown option', args: ['--nonsense'], message: /Unknown option/, code: 1 },
  {
    situation: 'an option with an escape code for the terminal',
    args: ['--non\u001b[2Jsense'],
    message: /Unknown option '--non\\u001b\[2Jsense'/,
    code: 1,
  },
  {
    situation: 'a data folder that cannot be created',
    args: ['--data', '/proc/sluice'],
    message: /cannot write to the data folder/,
    code: 1,
  },
  {
    situation: 'no display',
    env: { DISPLAY: undefined, WAYLAND_DISPLAY: undefined },
    message: /there is no display/,
    code: 1,
  },
  { situation: 'a request for help', args: ['--help'], message: /^Usage: sluice/m, code: 0 },
]

/**
 * Starts the app as often as `times` says. Each start must print the expected message and exit with the expected code.
 * A signal or a stack trace is a failure.
 */
export const expectMessageAndExit = async (
  station: AppStation,
  start: WindowlessStart,
  times: number,
): Promise<void> => {
  for (let n = 1; n <= times; n += 1) {
    const { code, output } = await station.runApp(start.args, start.env)
    expect(output).toMatch(start.message)
    expect(output).not.toMatch(/\n\s+at /)
    expect(code, `start ${n} of ${times} (${start.situation}), which printed ${output}`).toBe(start.code)
  }
}
