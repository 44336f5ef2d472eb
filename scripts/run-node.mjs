import { existsSync } from 'node:fs'
import path from 'node:path'
import { compiledEntry } from './building/compiled.mjs'
import { runInPlace } from './launcher/child.mjs'
import { exitWith, Refusal } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'
import { findNode } from './runtime/find-runtime.mjs'

/** What ships; everything else runs from its source. */
const COMPILED = ['main/agent/entry/cli.ts', 'sandbox/cli.ts']

/** `run-node.mjs ENTRY.ts …`: everything after the entry belongs to the program, so it is not parsed here. */
const [entry, ...args] = process.argv.slice(2)

// `npm run` moves to the repository's folder; a path that was typed elsewhere means that other place.
const typedIn = process.env.INIT_CWD
const cwd = process.cwd() === ROOT && typedIn && existsSync(typedIn) ? typedIn : process.cwd()

await exitWith(async () => {
  if (entry === undefined)
    throw new Refusal('name the file to run, as in: node scripts/run-node.mjs sandbox/cli.ts')
  const file = path.resolve(ROOT, entry)
  if (!existsSync(file)) throw new Refusal(`there is no ${entry} to run.`)
  const node = await findNode()
  const program = COMPILED.includes(entry) ? await compiledEntry(entry) : file
  return runInPlace(node.executable, [program, ...args], { env: node.env, cwd })
})
