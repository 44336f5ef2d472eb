import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppStation, electron } from '../e2e/app.ts'
import { browser } from '../support/browser.ts'
import { needs } from '../support/needs.ts'

/**
 * On a computer with Electron, all other tests of the app use Electron, so only this test notices an outdated stand-in.
 */
describe('the stand-in for Electron', needs(electron, browser), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  it('opens the window, reaches the agent, and ends like the app', async () => {
    const sandbox = await station.startSandbox()
    station.writeSettings({
      service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
      folders: [{ path: station.recordings, site: 'Hall 3' }],
    })
    const app = await station.startApp({ standIn: true })
    await app.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await app.isShown()).toBe(true)
    expect(await app.pidOf('Sluice agent')).not.toBeNull()
    await app.quit()
    expect(app.child.exitCode).toBe(0)
  })
})
