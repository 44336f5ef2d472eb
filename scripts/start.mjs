import { isStale } from './building/stale.mjs'
import { exitWith } from './launcher/command.mjs'
import { runApp } from './window/open-app.mjs'

await exitWith(async () => {
  // What builds is read only where something is to be built: a window waits for this.
  if (isStale()) await (await import('./building/build-steps.mjs')).build()
  return runApp(process.argv.slice(2))
})
