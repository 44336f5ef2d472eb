// Draws every screen in both themes and at 200% into docs/screenshots, from the built page with scripted data.
import { runnerImport } from 'vite'

const { module } = await runnerImport(new URL('../test/page/pictures.ts', import.meta.url).pathname)
await module.drawPictures(process.argv.slice(2))
