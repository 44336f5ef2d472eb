import { isStale } from './building/stale.mjs'
import { exitWith } from './launcher/command.mjs'
import { runApp } from './window/open-app.mjs'

await exitWith(async () => {
  // Import the build only if needed: the window waits for every import, but few starts need a build.
  if (isStale()) await (await import('./building/build-steps.mjs')).build()
  return runApp(process.argv.slice(2))
})
