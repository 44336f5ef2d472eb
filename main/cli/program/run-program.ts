import { redact } from '../../../shared/redaction/redact.ts'
import { HELD_SENTENCE, isBusy } from '../../agent/journal/journal-hold.ts'
import { jsonText, printLine } from '../terminal.ts'
import type { Command, Program } from './command.ts'
import { Typed } from './command-input.ts'
import { printHelp, versionCommand } from './help-command.ts'
import { SeveralLines } from './multi-line-error.ts'
import { parseCommand } from './parse-command.ts'

const sentenceOf = (error: unknown): string => {
  if (isBusy(error)) return HELD_SENTENCE
  return error instanceof Error ? error.message : String(error)
}

const tellFailure = (error: unknown, command: Command | null, wantsJson: boolean): number => {
  const said = sentenceOf(error)
  const lines = error instanceof SeveralLines ? error.lines : [said]
  for (const [at, line] of lines.entries())
    printLine(at === 0 ? `sluice: ${redact(line)}` : redact(line), process.stderr)
  const message = redact(said)
  const exit = command?.failureExit ?? 1
  // Whoever reads objects gets one; a run has told its own ones already.
  if (wantsJson && command?.name !== 'run')
    process.stdout.write(`${jsonText({ error: { message, exit_code: exit } })}\n`)
  return exit
}

/** What was typed behind `sluice`, carried out; gives the exit code. */
export const runProgram = async (args: readonly string[], program: Program): Promise<number> => {
  const { commands } = program
  const wantsJson = args.includes('--json')
  let command: Command | null = null
  try {
    const invocation = parseCommand(args, commands)
    switch (invocation.kind) {
      case 'help':
        printHelp(invocation.of, commands, wantsJson)
        return invocation.asked ? 0 : 1
      case 'version':
        return await versionCommand.carryOut(
          new Typed({ command: 'version', data: '', operands: [], values: new Map() }),
          program,
        )
      case 'command':
        command = invocation.command
        return await command.carryOut(invocation.typed, program)
    }
  } catch (error) {
    // The name alone tells what a failure means to whoever runs it every night.
    return tellFailure(error, command ?? commands.find(({ name }) => name === args[0]) ?? null, wantsJson)
  }
}
