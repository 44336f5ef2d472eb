import { build } from './building/build-steps.mjs'
import { command } from './launcher/command.mjs'

await command({ usage: 'npm run build' }, async () => {
  await build()
  return 0
})
