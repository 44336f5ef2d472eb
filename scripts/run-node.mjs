import { existsSync } from 'node:fs'
import { exitWith, Refusal } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'
import { runProgram } from './launcher/run-program.mjs'

/** `run-node.mjs ENTRY.ts …`: everything after the entry belongs to the program, so it is not parsed here. */
const [entry, ...args] = process.argv.slice(2)

// `npm run` moves to the repository's folder; a path that was typed elsewhere means that other place.
const typedIn = process.env.INIT_CWD
const cwd = process.cwd() === ROOT && typedIn && existsSync(typedIn) ? typedIn : process.cwd()

await exitWith(async () => {
  if (entry === undefined)
    throw new Refusal('name the file to run, as in: node scripts/run-node.mjs sandbox/cli.ts')
  return runProgram(entry, args, cwd)
})
