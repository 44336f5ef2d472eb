import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { browserArguments, pageBrowserPath } from '../support/browser.ts'
import { fillLab } from '../support/lab-page/lab-scene.ts'
import { LabService, openEmbedded } from '../support/lab-page/lab-service.ts'
import { MORNING } from './morning.ts'

/** Takes a screenshot of the server's page with the details of a recording. */
export const takeLabScreenshot = async (): Promise<void> => {
  const lab = await LabService.start(await openEmbedded())
  lab.clock.setFrozen(true)
  lab.clock.setOffsetMs(MORNING.getTime() - lab.clock.now())
  await fillLab(lab)
  const browser = await chromium.launch({
    ...(pageBrowserPath === undefined ? {} : { executablePath: pageBrowserPath }),
    args: browserArguments,
  })
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
    })
    await page.clock.setFixedTime(MORNING)
    await page.goto(lab.baseUrl)
    await page.getByLabel('Key').fill(lab.keys.read)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'pick-and-place.mcap' }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.mouse.move(0, 0)
    const file = path.join(import.meta.dirname, '../../docs/screenshots/lab-page-light.png')
    await writeFile(file, await page.screenshot())
    process.stdout.write('lab-page\n')
  } finally {
    await browser.close()
    await lab.close()
  }
}
