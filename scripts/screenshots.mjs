import path from 'node:path'
import { runnerImport } from 'vite'
import { build, isStale } from './building/build-steps.mjs'
import { command, Refusal } from './launcher/command.mjs'
import { ROOT } from './launcher/project.mjs'

/** Every screen in both themes and at 200%, from the built page with scripted data, into docs/screenshots. */
await command({ usage: 'npm run screenshots [-- NAME…]', allowPositionals: true }, async (_, names) => {
  if (isStale()) await build()
  const { module } = await runnerImport(path.join(ROOT, 'test/page/pictures.ts'))
  const { browserPath, drawPictures } = /** @type {typeof import('../test/page/pictures.ts')} */ (module)
  if (browserPath === undefined)
    throw new Refusal('there is no Chromium or Chrome here; name one with SLUICE_CHROMIUM.')
  await drawPictures(names)
  return 0
})
