import { build, isStale } from './building/build-steps.mjs'
import { exitWith } from './launcher/command.mjs'
import { runApp } from './window/open-app.mjs'

await exitWith(async () => {
  if (isStale()) await build()
  return runApp(process.argv.slice(2))
})
