#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { exitWith } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'
import { runProgram } from './launcher/run-program.mjs'

// `npm run` moves to the repository's folder; a path that was typed elsewhere means that other place.
const typedIn = process.env.INIT_CWD
const cwd = process.cwd() === ROOT && typedIn && existsSync(typedIn) ? typedIn : process.cwd()

/** `npx sluice …` and `npm run sluice -- …`: the program from source. Its arguments are its own. */
await exitWith(() => runProgram('main/agent/entry/cli.ts', process.argv.slice(2), cwd))
