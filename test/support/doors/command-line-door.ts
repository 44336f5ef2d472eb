import fc from 'fast-check'
import { ownArguments, parseCommandLine } from '../../../main/shell/system/command-line.ts'
import { hostileText } from './hostile.ts'
import type { Door } from './knock.ts'

type Started = {
  readonly argv: readonly string[]
  readonly packaged: boolean
  readonly appPath: string | null
}

const argument = fc.oneof(
  hostileText,
  fc.constantFrom(
    '--data',
    '--data=',
    '--hidden',
    '--help',
    '--',
    '-h',
    '--no-hidden',
    '--inspect=0',
    '/app',
  ),
  fc.tuple(fc.constantFrom('--data=', '--', '-', '--enable-'), hostileText).map(([a, b]) => a + b),
)

const opensTheApp = /^--(inspect|remote-debugging-|no-sandbox|user-data-dir|js-flags)/

export const commandLine = (runs: number): Door<Started> => ({
  name: 'command line: the app',
  runs,
  inputs: fc.record({
    argv: fc.array(argument, { maxLength: 6 }),
    packaged: fc.boolean(),
    appPath: fc.oneof(fc.constantFrom(null, '/app'), hostileText),
  }),
  knock: ({ argv, packaged, appPath }) => {
    const own = ownArguments(argv, appPath)
    try {
      parseCommandLine(own, packaged)
    } catch (error) {
      // Its own sentence, and not what something below it threw.
      if (
        !(error instanceof Error) ||
        !/is not accepted by the installed|Run with --help/.test(error.message)
      )
        throw error
      return
    }
    if (packaged && own.some((one) => opensTheApp.test(one)))
      throw new Error('a package took a debugging switch')
  },
})
