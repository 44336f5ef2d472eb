import { build } from './building/build-steps.mjs'
import { isStale } from './building/stale.mjs'
import { command, Refusal } from './launcher/command.mjs'

/**
 * Every screen in both themes and at 200%, from the built page and a real journal in a chosen situation, into
 * docs/screenshots. On Electron's own Node, as the agent whose journal it is.
 */
await command({ usage: 'npm run screenshots [-- NAME…]', allowPositionals: true }, async (_, names) => {
  if (isStale()) await build()
  // The station outside the page and the browser tell the same time; before anything reads the zone.
  process.env.TZ = 'Europe/Berlin'
  const { pageBrowserPath, drawPictures } = await import('../test/page/pictures.ts')
  if (pageBrowserPath === undefined)
    throw new Refusal('there is no Chromium or Chrome here; name one with SLUICE_CHROMIUM.')
  await drawPictures(names)
  return 0
})
