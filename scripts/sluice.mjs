#!/usr/bin/env node
import { exitWith } from './launcher/command.mjs'
import { callerFolder } from './launcher/project.mjs'
import { runProgram } from './launcher/run-program.mjs'

/** `npx sluice …` and `npm run sluice -- …` run the command from source. */
await exitWith(() => runProgram('main/cli/cli.ts', process.argv.slice(2), callerFolder(process.env)))
