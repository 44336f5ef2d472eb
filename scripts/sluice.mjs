#!/usr/bin/env node
import { exitWith } from './launcher/command.mjs'
import { callerFolder } from './launcher/project.mjs'
import { runProgram } from './launcher/run-program.mjs'

const args = process.argv.slice(2)

/** Runs the commands of this checkout: `npx sluice …` or `npm run sluice -- …`. `sluice server` runs the server. */
await exitWith(() =>
  args[0] === 'server'
    ? runProgram('server/cli.ts', args.slice(1), callerFolder(process.env))
    : runProgram('main/cli/cli.ts', args, callerFolder(process.env)),
)
