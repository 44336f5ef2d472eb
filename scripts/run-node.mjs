import { ExpectedFailure, exitWith } from './launcher/command.mjs'
import { callerFolder } from './launcher/project.mjs'
import { runProgram } from './launcher/run-program.mjs'

/** `run-node.mjs ENTRY.ts …`: the arguments after the entry are for the program. */
const [entry, ...args] = process.argv.slice(2)

await exitWith(async () => {
  if (entry === undefined)
    throw new ExpectedFailure('name the file to run, for example: node scripts/run-node.mjs sandbox/cli.ts')
  return runProgram(entry, args, callerFolder(process.env))
})
