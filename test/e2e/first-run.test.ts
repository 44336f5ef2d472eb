import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { AppStation, goTo, waitForState, window } from './app.ts'

describe('the first run of the real app', needs(window), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  /** A short poll interval keeps the test fast. */
  const follow = { poll_seconds: 1 }

  /** Completes the second and third step of the first run, and waits until the first recording is safe. */
  const chooseFolderAndSite = async (page: Page): Promise<void> => {
    await page.getByLabel('Folder', { exact: true }).fill(station.recordings)
    await page.getByText('1 file', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Site').fill('Hall 3')
    // On other systems than Linux, the start at login would write outside the test's own folder, so turn it off.
    if (process.platform !== 'linux') await page.getByRole('switch').click()
    await page.getByRole('button', { name: 'Start watching' }).click()
    await page.getByRole('heading', { name: 'The first recording is safe.' }).waitFor()
  }

  it('refuses a wrong key, accepts the right one, processes the first recording and saves the settings', async () => {
    station.writeSettings({ follow })
    const sandbox = await station.startSandbox()
    writeFileSync(path.join(station.recordings, 'first.csv'), randomBytes(300_000).toString('base64'))

    const { page, quit } = await station.startApp()
    await page.getByLabel('Address').fill(sandbox.baseUrl)
    await page.getByLabel('Key', { exact: true }).fill(sandbox.keys.revoked)
    await page.getByText('wrong or has been revoked', { exact: false }).waitFor()
    await page.getByLabel('Key', { exact: true }).fill(sandbox.keys.read)
    await page.getByText('This key is read-only', { exact: false }).waitFor()
    await page.getByLabel('Key', { exact: true }).fill(sandbox.keys.write)
    await page.getByText('Test key:', { exact: false }).waitFor()
    await page.getByText('Use this test key anyway').click()
    // On Linux, the app has no keychain in this test, so it asks before it stores the key.
    if (process.platform === 'linux') await page.getByText('Save the key anyway').click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await chooseFolderAndSite(page)
    await page.getByRole('button', { name: 'Open Overview' }).click()
    await goTo(page, 'Recordings')
    await waitForState(page, 'first.csv', 'Safe')
    await quit()
    const file = path.join(station.data, 'settings.json')
    const savedText = readFileSync(file, 'utf8')
    expect(savedText).not.toContain(sandbox.keys.write)
    expect(JSON.parse(savedText)).toMatchObject({ app: { start_at_login: process.platform === 'linux' } })

    // A shorter settle time saves the test ten seconds. All other settings stay as the app saved them.
    writeFileSync(file, savedText.replace('"settle_seconds": 10', '"settle_seconds": 0'))
    await station.restartOutsideAgent()
    const second = await station.startApp()
    await goTo(second.page, 'Recordings')
    await waitForState(second.page, 'first.csv', 'Safe')
    writeFileSync(path.join(station.recordings, 'second.csv'), 'time,value\n0,1\n')
    await waitForState(second.page, 'second.csv', 'Safe')
    expect(await second.page.content()).not.toContain(sandbox.keys.write)
  })
})
