import './small-heap.ts'
import './own-process.ts'
import { redact } from '../../../shared/redact.ts'
import { ownProgram } from './own-program.ts'
import type { Command } from './program/command.ts'
import { commands } from './program/commands.ts'
import { printHelp, versionCommand } from './program/help-command.ts'
import { parseCommand } from './program/parse-command.ts'
import { Typed } from './program/typed.ts'
import { jsonText, printLine } from './terminal.ts'

/** The program `sluice`: from source, and from the package, where main/index.ts hands a command over. */

const args = process.argv.slice(2)
const wantsJson = args.includes('--json')

const tellFailure = (error: unknown, command: Command | null): number => {
  const message = redact(`${error instanceof Error ? error.message : String(error)}`)
  for (const [at, line] of message.split('\n').entries())
    printLine(at === 0 ? `sluice: ${line}` : line, process.stderr)
  const exit = command?.failureExit ?? 1
  // Whoever reads objects gets one; a run has told its own ones already.
  if (wantsJson && command?.name !== 'run')
    process.stdout.write(`${jsonText({ error: { message, exit_code: exit } })}\n`)
  return exit
}

const carryOut = async (): Promise<number> => {
  let command: Command | null = null
  try {
    const invocation = parseCommand(args, commands)
    const program = { commands, again: ownProgram() }
    switch (invocation.kind) {
      case 'help':
        printHelp(invocation.of, commands, wantsJson)
        return invocation.asked ? 0 : 1
      case 'version':
        return versionCommand.carryOut(
          new Typed({ command: 'version', data: '', operands: [], values: new Map() }),
          program,
        )
      case 'command':
        command = invocation.command
        return await command.carryOut(invocation.typed, program)
    }
  } catch (error) {
    // The name alone tells what a failure means to whoever runs it every night.
    return tellFailure(error, command ?? commands.find(({ name }) => name === args[0]) ?? null)
  }
}

process.exitCode = await carryOut()
