import fc from 'fast-check'
import { commands } from '../../../main/cli/program/commands.ts'
import { parseCommand } from '../../../main/cli/program/parse-command.ts'
import { UsageError } from '../../../main/cli/program/usage-error.ts'
import { ownArguments, parseCommandLine } from '../../../main/shell/system/command-line.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { hostileText } from './hostile-input.ts'

type AppStart = {
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

const debuggingSwitch =
  /^--(inspect|remote-debugging-|no-sandbox|user-data-dir|js-flags|password-store|use-|disable-|enable-)/

export const commandLine = (runs: number): FuzzTarget<AppStart> => ({
  name: 'command line: the app',
  runs,
  inputs: fc.record({
    argv: fc.array(argument, { maxLength: 6 }),
    packaged: fc.boolean(),
    appPath: fc.oneof(fc.constantFrom(null, '/app'), hostileText),
  }),
  check: ({ argv, packaged, appPath }) => {
    const ownArgs = ownArguments(argv, appPath)
    try {
      parseCommandLine(ownArgs, packaged)
    } catch (error) {
      // The error must be one of Sluice's own sentences, not an error of a library.
      if (
        !(error instanceof Error) ||
        !/is not accepted by the installed|Run with --help/.test(error.message)
      )
        throw error
      return
    }
    if (packaged && ownArgs.some((arg) => debuggingSwitch.test(arg)))
      throw new Error('a package accepted a debugging switch')
  },
})

const headlessArgument = fc.oneof(
  hostileText,
  fc.constantFrom(...commands.flatMap(({ name }) => name.split(' '))),
  fc.constantFrom(
    '--events',
    '--events=session.failed',
    'https://hooks.example.com/',
    'http://127.0.0.1:1/x',
  ),
  fc.constantFrom('--settings', '--data', '--until-idle', '--patience', '--json', '--help', '--', '-h'),
  fc
    .tuple(fc.constantFrom('--data=', '--settings=', '--patience=', '--json=', '--no-', '--'), hostileText)
    .map(([a, b]) => a + b),
  fc.constantFrom('--patience=1e306', '--patience=-0', '--patience=0x10', '--data=d', '--settings=s'),
)

/**
 * A valid command with up to three random arguments. Random words alone seldom contain a command, so they seldom test
 * its options.
 */
const mutatedCommand = fc
  .tuple(fc.constantFrom(...commands.map(({ name }) => name)), fc.array(headlessArgument, { maxLength: 3 }))
  .map(([name, extraArguments]) => [...name.split(' '), '--data=d', ...extraArguments])

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal control characters
const controlCharacter = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Cf}/u

export const headlessCommandLine = (runs: number): FuzzTarget<readonly string[]> => ({
  name: 'command line: the headless command',
  runs,
  inputs: fc.oneof(fc.array(headlessArgument, { maxLength: 6 }), mutatedCommand),
  check: (args) => {
    try {
      const invocation = parseCommand(args, commands, {})
      if (invocation.kind === 'command' && invocation.input.data === '')
        throw new Error('accepted a command without a data folder')
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      if (controlCharacter.test(error.message) || error.message.length > 5_000)
        throw new Error('the refusal is not one line')
    }
  },
})
