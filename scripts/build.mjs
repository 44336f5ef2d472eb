import { build } from './build-steps.mjs'
import { command } from './command.mjs'

await command({ usage: 'npm run build' }, async () => {
  await build()
  return 0
})
