import path from 'node:path'
import { build } from './building/build-steps.mjs'
import { isStale } from './building/stale.mjs'
import { command, ExpectedFailure } from './launcher/command.mjs'
import { requireWindow } from './window/open-app.mjs'

const LAB_PAGE = 'lab-page'

/**
 * Takes screenshots of every screen, in both themes and at 200%, and saves them in `docs/screenshots`. Runs on
 * Electron's Node, because the agent's code writes the journal for the screenshots. With `--states`, takes screenshots
 * of the real app instead, in each state and in several sizes.
 */
await command(
  {
    usage: 'npm run screenshots [-- NAME…] [-- --states FOLDER NAME…]',
    options: { states: { type: 'string' } },
    allowPositionals: true,
  },
  async ({ states }, names) => {
    if (isStale()) await build()
    // Station and browser must use the same time zone. Set `TZ` before any code reads it.
    process.env.TZ = 'Europe/Berlin'
    if (states !== undefined) {
      await takeStateScreenshots(path.resolve(states), names)
      // Exit at once, because the process that all sandboxes share would keep this script running.
      process.exit()
    }
    const { pageBrowserPath, takeScreenshots } = await import('../test/page/screenshots.ts')
    if (pageBrowserPath === undefined)
      throw new ExpectedFailure('no Chromium or Chrome found; set SLUICE_CHROMIUM to one.')
    if (names.length === 0 || names.includes(LAB_PAGE)) {
      const { takeLabScreenshot } = await import('../test/page/lab-screenshot.ts')
      await takeLabScreenshot()
    }
    if (names.some((name) => name !== LAB_PAGE) || names.length === 0) await takeScreenshots(names)
    return 0
  },
)

/**
 * @param {string} folder
 * @param {readonly string[]} names
 */
async function takeStateScreenshots(folder, names) {
  const window = await requireWindow()
  Object.assign(process.env, {
    DISPLAY: window.env.DISPLAY,
    SLUICE_ELECTRON: window.executable,
    SLUICE_ELECTRON_ARGS: JSON.stringify(window.args),
  })
  try {
    const { captureStates } = await import('../test/e2e/state-screenshots.ts')
    await captureStates(folder, names)
  } finally {
    window.close()
  }
}
