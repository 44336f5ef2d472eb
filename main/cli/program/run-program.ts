import { redact } from '../../../shared/redaction/redact.ts'
import { isBusy, LOCKED_SENTENCE } from '../../agent/journal/write-lock.ts'
import { isTryOut } from '../journal-folder.ts'
import { jsonText, printLine } from '../terminal.ts'
import type { Command, Program } from './command.ts'
import { printHelp } from './help-command.ts'
import { MultiLineError } from './multi-line-error.ts'
import { parseCommand } from './parse-command.ts'

/** Warns users who expect a command to reach the real service. */
const TRY_OUT_SENTENCE =
  'This station is being tried out: it uploads to the built-in sandbox on this PC. To end the try-out, enter the address of your service in the window.'

const sentenceOf = (error: unknown): string => {
  if (isBusy(error)) return LOCKED_SENTENCE
  return error instanceof Error ? error.message : String(error)
}

const printFailure = (error: unknown, command: Command | null, wantsJson: boolean): number => {
  const sentence = sentenceOf(error)
  const lines = error instanceof MultiLineError ? error.lines : [sentence]
  for (const [at, line] of lines.entries())
    printLine(at === 0 ? `sluice: ${redact(line)}` : redact(line), process.stderr)
  const message = redact(sentence)
  const exitCode = command?.failureExit ?? 1
  // The output of `run` is a stream of other objects, so it contains no error object.
  if (wantsJson && command?.name !== 'run')
    process.stdout.write(`${jsonText({ error: { message, exit_code: exitCode } })}\n`)
  return exitCode
}

/** Runs the command in `args` and returns the exit code. */
export const runProgram = async (args: readonly string[], program: Program): Promise<number> => {
  const { commands } = program
  const wantsJson = args.includes('--json')
  let command: Command | null = null
  try {
    const invocation = parseCommand(args, commands)
    if (invocation.kind === 'help') {
      printHelp(invocation.words, commands, wantsJson)
      return invocation.isRequested ? 0 : 1
    }
    command = invocation.command
    if (command.data === 'own' && !wantsJson && isTryOut(invocation.input))
      printLine(`sluice: ${TRY_OUT_SENTENCE}`, process.stderr)
    return await command.run(invocation.input, program)
  } catch (error) {
    // Scripts rely on the exit code of the command, even if parsing failed. Search all words for its name, because
    // options may precede it.
    const named = args
      .map((arg) => commands.find(({ name }) => name === arg))
      .find((each) => each !== undefined)
    return printFailure(error, command ?? named ?? null, wantsJson)
  }
}
