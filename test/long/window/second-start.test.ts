import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, AppStation, goTo, window } from '../../e2e/app.ts'
import { expectMessageAndExit, secondStart } from '../../e2e/windowless-starts.ts'
import { needs } from '../../support/needs.ts'
import type { SandboxProcess } from '../../support/sandbox-process.ts'
import { until } from '../../support/station.ts'

const SECOND_STARTS = 2

describe('a second start of the real app', needs(window), () => {
  let station: AppStation
  let sandbox: SandboxProcess
  let app: App

  beforeAll(async () => {
    station = new AppStation()
    sandbox = await station.startSandbox()
    station.writeSettings({
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [{ path: station.recordings, site: 'Hall 3' }],
      follow: { poll_seconds: 1 },
    })
    app = await station.startApp()
    await goTo(app.page, 'Recordings')
  })
  afterAll(() => station.close())

  it('passes its task to the running app and prints a confirmation', async () => {
    const { page } = app
    await app.closeWindow()
    await until('the window is hidden', async () => !(await app.isShown()))
    for (const [task, button] of [
      ['pause', 'Resume uploads'],
      ['resume', 'Pause uploads'],
    ] as const) {
      const { code, output } = await station.runApp(['--task', task])
      expect(output).toMatch(/received your request: (Pause|Resume) uploads\./)
      expect(code).toBe(0)
      await page.getByRole('button', { name: button }).waitFor({ state: 'attached' })
    }
    expect(await app.isShown()).toBe(false)
    expect((await station.runApp(['--task', 'format'])).output).toContain("Unknown task 'format'")
    const progress = await app.watchProgress()
    await station.runApp(['--task', 'open'])
    await until('the window is shown again', () => app.isShown())
    // A shown window gets a new taskbar button, so the app must draw the progress bar again.
    await until('the progress bar is drawn again', async () => (await progress()).join() === 'none')
  })

  it('shows the window again after the user closed it, and prints a message', async () => {
    await app.closeWindow()
    await until('the window is hidden', async () => !(await app.isShown()))
    await expectMessageAndExit(station, secondStart, SECOND_STARTS)
    await until('the window is shown again', () => app.isShown())
  })
})
