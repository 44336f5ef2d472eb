import { build } from './building/build-steps.mjs'
import { isStale } from './building/stale.mjs'
import { command, Refusal } from './launcher/command.mjs'

/**
 * Draws every screen in both themes and at 200% into docs/screenshots, from the built page and a real journal. It runs on
 * Electron's Node, like the agent that wrote the journal.
 */
await command({ usage: 'npm run screenshots [-- NAME…]', allowPositionals: true }, async (_, names) => {
  if (isStale()) await build()
  // Station and browser must use the same time zone. Set it before any code reads it.
  process.env.TZ = 'Europe/Berlin'
  const { pageBrowserPath, drawPictures } = await import('../test/page/pictures.ts')
  if (pageBrowserPath === undefined)
    throw new Refusal('no Chromium or Chrome found; set SLUICE_CHROMIUM to one.')
  await drawPictures(names)
  return 0
})
