import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { type App, electronPath, goTo, makeFolders, pidOf, startApp, waitForState } from './app.ts'

describe.skipIf(electronPath === undefined)('the first run of the real app', () => {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  const started = (app: App): App => {
    closers.push(() => app.electron.close())
    return app
  }

  it('wrong key, then the right one; a folder; a site; the first recording is processed; all of it kept', async () => {
    const folders = makeFolders()
    const sandbox = await SandboxProcess.start(folders.sandbox)
    closers.push(() => sandbox.stop())
    writeFileSync(path.join(folders.recordings, 'first.csv'), randomBytes(300_000).toString('base64'))

    const first = await startApp(folders.data)
    const { page } = first
    console.info(`window usable ${first.usableMs} ms after the start`)
    await page.getByLabel('Address').fill(sandbox.baseUrl)
    await page.getByLabel('Key', { exact: true }).fill(sandbox.keys.revoked)
    await page.getByText('wrong or has been revoked', { exact: false }).waitFor()
    await page.getByLabel('Key', { exact: true }).fill(sandbox.keys.read)
    await page.getByText('may only read', { exact: false }).waitFor()
    await page.getByLabel('Key', { exact: true }).fill(sandbox.keys.write)
    await page.getByText('Test key', { exact: false }).waitFor()
    // Where the test PC has no keychain, the app asks before it stores the key.
    const anyway = page.getByText('Store the key anyway')
    if (await anyway.isVisible()) await anyway.click()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByLabel('Folder', { exact: true }).fill(folders.recordings)
    await page.getByText('1 file', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByLabel('Site').fill('Hall 3')
    await page.getByRole('button', { name: 'Start watching' }).click()
    await page.getByRole('heading', { name: 'The first recording is safe.' }).waitFor({ timeout: 240_000 })
    await page.getByRole('button', { name: 'Open the overview' }).click()
    await goTo(page, 'Recordings')
    await waitForState(page, 'first.csv', 'Processed')
    await first.electron.close()

    const second = started(await startApp(folders.data))
    await goTo(second.page, 'Recordings')
    await waitForState(second.page, 'first.csv', 'Processed')
    expect(await second.page.content()).not.toContain(sandbox.keys.write)
  })

  it('can be tried with the sandbox inside the app; its end is told and mended; a report is saved', async () => {
    const folders = makeFolders()
    writeFileSync(path.join(folders.recordings, 'take.csv'), 'time,value\n0,1\n1,2\n')
    const { page, electron } = started(await startApp(folders.data))
    await page.getByRole('button', { name: 'Try it with the sandbox' }).click()
    await page.getByLabel('Folder', { exact: true }).fill(folders.recordings)
    await page.getByText('1 file', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByLabel('Site').fill('Hall 3')
    await page.getByRole('button', { name: 'Start watching' }).click()
    await page.getByRole('heading', { name: 'The first recording is safe.' }).waitFor({ timeout: 240_000 })
    await page.getByRole('button', { name: 'Open the overview' }).click()

    process.kill((await pidOf(electron, 'Sluice sandbox')) ?? Number.NaN, 'SIGKILL')
    await page.getByText('The built-in sandbox has stopped.', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Start it again' }).click()
    await page.getByText('The sandbox runs again.').waitFor()

    const file = path.join(folders.data, 'report.json')
    // The system's own dialog cannot be reached by a test; what comes after it can.
    await electron.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath })
    }, file)
    await goTo(page, 'About')
    await page.getByRole('button', { name: 'Save a report for support…' }).click()
    await page.getByText(`Saved as ${file}`).waitFor()
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      app: { dataFolder: folders.data },
      agent: { journal: { intact: true }, status: { counts: { processed: 1 } } },
    })
  })
})
