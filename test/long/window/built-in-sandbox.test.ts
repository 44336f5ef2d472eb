import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppStation, goTo, window } from '../../e2e/app.ts'
import { ownAgent } from '../../e2e/restarting-agent.ts'
import { needs } from '../../support/needs.ts'

describe('the first run of the real app', needs(window), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  const follow = { poll_seconds: 1 }

  /** Completes the second and third step, and waits until the first recording is safe. */
  const chooseFolderAndSite = async (page: Page): Promise<void> => {
    await page.getByLabel('Folder', { exact: true }).fill(station.recordings)
    await page.getByText('1 file', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Site').fill('Hall 3')
    // Turn off the start at login, because its entry would be outside the test's own folder.
    if (process.platform !== 'linux') await page.getByRole('switch').click()
    await page.getByRole('button', { name: 'Start watching' }).click()
    await page.getByRole('heading', { name: 'The first recording is safe.' }).waitFor()
  }

  // The app runs the built-in sandbox for its own agent only.
  it(
    'works with the built-in sandbox, shows that it stopped, restarts it on request, and saves a report',
    needs(ownAgent),
    async () => {
      station.writeSettings({ follow })
      writeFileSync(path.join(station.recordings, 'take.csv'), 'time,value\n0,1\n1,2\n')
      const { page, pidOf, saveDialogsTo } = await station.startApp()
      await page.getByRole('button', { name: 'Try the sandbox' }).click()
      await chooseFolderAndSite(page)
      await page.getByRole('button', { name: 'Open Overview' }).click()

      process.kill((await pidOf('Sluice sandbox')) ?? Number.NaN, 'SIGKILL')
      await page.getByText('The built-in sandbox has stopped.', { exact: false }).waitFor()
      await page.getByRole('button', { name: 'Restart the sandbox' }).click()
      await page.getByText('The sandbox is running.').waitFor()

      const file = path.join(station.data, 'report.json')
      await saveDialogsTo(file)
      await goTo(page, 'About')
      await page.getByRole('button', { name: 'Save a report for support…' }).click()
      await page.getByText(`Saved as ${file}`).waitFor()
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        app: { dataFolder: station.data },
        agent: { journal: { intact: true }, status: { counts: { processed: 1 } } },
      })
    },
  )
})
