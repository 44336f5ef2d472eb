import { exitWith, Refusal } from './launcher/command.mjs'
import { whereTyped } from './launcher/project.mjs'
import { runProgram } from './launcher/run-program.mjs'

/** `run-node.mjs ENTRY.ts …`: everything after the entry belongs to the program, so it is not parsed here. */
const [entry, ...args] = process.argv.slice(2)

await exitWith(async () => {
  if (entry === undefined)
    throw new Refusal('name the file to run, as in: node scripts/run-node.mjs sandbox/cli.ts')
  return runProgram(entry, args, whereTyped(process.env))
})
