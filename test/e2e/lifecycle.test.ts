import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import type { SandboxProcess } from '../support/sandbox-process.ts'
import { until } from '../support/station.ts'
import { type App, AppStation, goTo, waitForState, window } from './app.ts'
import { usesOutsideAgent } from './restarting-agent.ts'

/** Slow enough that a test can see the upload in progress: two parts take about five seconds. */
const LIMIT_MBIT_PER_S = 26
const BIG_BYTES = 16 * 1024 * 1024
describe('the real app', needs(window), () => {
  const record = (name: string, bytes: number) =>
    writeFileSync(path.join(station.recordings, name), randomBytes(bytes))
  let station: AppStation
  let sandbox: SandboxProcess
  let app: App

  beforeAll(async () => {
    station = new AppStation()
    sandbox = await station.startSandbox()
    station.writeSettings({
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [
        { path: station.recordings, site: 'Hall 3', settle_seconds: 1, part_size_bytes: 8 * 1024 * 1024 },
      ],
      transfer: { limit_mbit_per_s: LIMIT_MBIT_PER_S },
      follow: { poll_seconds: 1 },
    })
    app = await station.startApp()
    await goTo(app.page, 'Recordings')
  })
  afterAll(() => station.close())

  it('shows progress while uploading; pauses and resumes', async () => {
    const { page } = app
    const progress = await app.watchProgress()
    record('long.bin', BIG_BYTES)
    await waitForState(page, 'long.bin', 'Uploading')
    await page.getByRole('progressbar', { name: 'long.bin uploaded' }).waitFor()
    await page.getByRole('button', { name: 'Pause uploads' }).click()
    await page.getByRole('menuitem', { name: 'Until I resume' }).click()
    await page.getByRole('button', { name: 'Resume uploads' }).click()
    await page.getByRole('button', { name: 'Pause uploads' }).waitFor()
    await waitForState(page, 'long.bin', 'Safe')
    // The mode may be `none` before the upload starts.
    const modes = (await progress()).join(' ').replace(/^none /, '')
    expect(modes).toBe('normal paused normal none')
  })

  it('recovers when the agent is killed during an upload', async () => {
    const { page, pidOf } = app
    record('killed.bin', BIG_BYTES)
    await waitForState(page, 'killed.bin', 'Uploading')
    const pid = await pidOf('Sluice agent')
    if (pid === null) throw new Error('there is no agent process')
    // The window may show this text only briefly, so the search starts before the kill and runs in every frame.
    const word = usesOutsideAgent() ? 'Agent stopped' : 'Reconnecting'
    const reconnecting = page.waitForFunction((text) => document.body.textContent?.includes(text), word)
    process.kill(pid, 'SIGKILL')
    await reconnecting
    await waitForState(page, 'killed.bin', 'Safe')
    expect(await pidOf('Sluice agent')).not.toBe(pid)
    await page.getByText(word, { exact: true }).waitFor({ state: 'detached' })
  })

  it('shows a missing folder, and continues when it is back', async () => {
    const { page } = app
    const away = `${station.recordings}-away`
    renameSync(station.recordings, away)
    await goTo(page, 'Folders')
    await page.getByText('Missing', { exact: true }).waitFor()
    renameSync(away, station.recordings)
    await page.getByText('Watching', { exact: true }).waitFor()
    record('after.bin', 1_000)
    await goTo(page, 'Recordings')
    await waitForState(page, 'after.bin', 'Safe')
  })

  it('waits while the service is down, and continues when it is back', async () => {
    const { page } = app
    const { port } = new URL(sandbox.baseUrl)
    await sandbox.stop()
    record('waits.bin', 1_000)
    await page.getByText('Service unreachable').first().waitFor()
    sandbox = await station.startSandbox(['--port', port])
    await page.getByText('Service reachable', { exact: true }).waitFor()
    await waitForState(page, 'waits.bin', 'Safe')
  })

  it('tells the agent that the PC woke up', async () => {
    const log = path.join(station.data, 'logs/sluice.log')
    expect(readFileSync(log, 'utf8')).not.toContain('the PC woke up')
    await app.wake()
    await until('the agent logs that the PC woke up', () =>
      readFileSync(log, 'utf8').includes('the PC woke up'),
    )
  })

  it('deletes a recording at the service after the user has typed “delete”, and keeps the file', async () => {
    const { page } = app
    await page.getByRole('row', { name: /after\.bin/ }).click()
    const id = await page.locator('.side-pane').getByText(/^ses_/).first().innerText()
    await page.getByRole('button', { name: 'Delete at the service…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('textbox').fill('delete')
    await app.answerQuestions(true)
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('is deleted at the service', { exact: false }).waitFor()
    expect((await sandbox.api(`/v1/sessions/${id}`)).status).toBe(404)
    expect(existsSync(path.join(station.recordings, 'after.bin'))).toBe(true)
  })
})
