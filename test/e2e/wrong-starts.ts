import { expect } from 'vitest'
import type { AppStation } from './app.ts'

type WrongStart = {
  readonly what: string
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly says: RegExp
  readonly code: number
}

/** A second start on the data folder of a running app. */
export const secondStart: WrongStart = { what: 'already running', says: /Sluice is already running/, code: 1 }

export const endingStarts: readonly WrongStart[] = [
  { what: 'an unknown option', args: ['--nonsense'], says: /Unknown option/, code: 1 },
  {
    what: 'an option with an escape code for the terminal',
    args: ['--non\u001b[2Jsense'],
    says: /Unknown option '--non\\u001b\[2Jsense'/,
    code: 1,
  },
  {
    what: 'a data folder that cannot be created',
    args: ['--data', '/proc/sluice'],
    says: /cannot write to the data folder/,
    code: 1,
  },
  {
    what: 'no display',
    env: { DISPLAY: undefined, WAYLAND_DISPLAY: undefined },
    says: /there is no display/,
    code: 1,
  },
  { what: 'a request for help', args: ['--help'], says: /^Usage: sluice/m, code: 0 },
]

/** Starts the app several times. Each start must exit with its sentence and code, without a signal or a stack trace. */
export const expectEnds = async (station: AppStation, start: WrongStart, times: number): Promise<void> => {
  for (let n = 1; n <= times; n += 1) {
    const { code, said } = await station.runApp(start.args, start.env)
    expect(said).toMatch(start.says)
    expect(said).not.toMatch(/\n\s+at /)
    expect(code, `start ${n} of ${times} (${start.what}), which printed ${said}`).toBe(start.code)
  }
}
