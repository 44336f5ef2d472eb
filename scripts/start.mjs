import { runApp } from './app.mjs'
import { build, isStale } from './build-steps.mjs'
import { exitWith } from './command.mjs'

await exitWith(async () => {
  if (isStale()) await build()
  return runApp(process.argv.slice(2))
})
