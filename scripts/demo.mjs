import { runApp } from './app.mjs'
import { build, isStale } from './build-steps.mjs'
import { command } from './command.mjs'

await command({ usage: 'npm run demo' }, async () => {
  if (isStale()) await build()
  return runApp([])
})
