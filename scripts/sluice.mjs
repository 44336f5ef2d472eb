#!/usr/bin/env node
import { exitWith } from './launcher/command.mjs'
import { whereTyped } from './launcher/project.mjs'
import { runProgram } from './launcher/run-program.mjs'

/** `npx sluice …` and `npm run sluice -- …`: the program from source. Its arguments are its own. */
await exitWith(() => runProgram('main/agent/entry/cli.ts', process.argv.slice(2), whereTyped(process.env)))
