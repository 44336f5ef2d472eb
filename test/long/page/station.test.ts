import { expect, it } from 'vitest'
import { clearPageErrors } from '../../page/browser/page-pool.ts'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

describePage('the window of a station', (open) => {
  it('names its agent, shows that the agent has stopped, and offers to start it', async () => {
    const page = await open({ scene: 'busy' })
    const attached = {
      version: '0.2.0',
      pid: 7,
      account: 'sluice',
      host: 'service',
      dataFolder: '/var/lib/sluice',
      logFolder: '/var/lib/sluice/logs',
      settingsFile: '/etc/sluice/settings.json',
      startedAt: '2026-03-12T10:00:00Z',
    } as const
    await page.evaluate(
      (agent) => window.scripted.setHealth({ state: 'running', restarts: 0, attached: agent }),
      attached,
    )
    await page.getByText('Attached to the background service of sluice', { exact: true }).waitFor()
    await openScreen(page, 'Recordings')
    await page.getByRole('row').nth(3).waitFor()
    const stopped = { state: 'stopped', restarts: 1, trouble: 'The agent has stopped.', attached } as const
    await page.evaluate((health) => window.scripted.setHealth(health), stopped)
    await page.getByText('Agent stopped', { exact: true }).waitFor()
    await page.getByText('The agent has stopped.', { exact: true }).waitFor()
    expect(await page.getByRole('row').count()).toBeGreaterThan(3)
    await page.getByRole('button', { name: 'Start the agent' }).click()
    await expect.poll(async () => (await callArgs(page, 'startAgent')).length).toBe(1)
  })

  it('reloads the list as soon as the agent is back', async () => {
    const page = await open({ scene: 'busy', moving: false, ownClock: true })
    await openScreen(page, 'Recordings')
    await page.getByRole('row').nth(3).waitFor()
    await page.evaluate(() => window.scripted.setHealth({ state: 'restarting', restarts: 1 }))
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    // From here on, no timer fires, so only the message that the agent is back can cause the reload.
    await page.clock.pauseAt(Date.now() + 60_000)
    const countBefore = (await callArgs(page, 'listRecordings')).length
    await page.evaluate(() => window.scripted.setHealth({ state: 'running', restarts: 1 }))
    await expect
      .poll(async () => (await callArgs(page, 'listRecordings')).length)
      .toBeGreaterThan(countBefore)
  })

  it('ignores a press of “More actions” while the agent still retries the recordings', async () => {
    const page = await open({ scene: 'refused', moving: false, at: MORNING })
    await page.evaluate(() => {
      let calls = 0
      Object.assign(window.sluice.call, {
        retryProblem: () => {
          calls += 1
          document.title = `call ${calls}`
          return new Promise(() => undefined)
        },
      })
    })
    await page.getByRole('button', { name: 'More actions' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Try all now' }).press('Enter')
    await page.waitForFunction(() => document.title === 'call 1')
    await page.locator('.attention button[data-pending]').press('Enter')
    expect(await page.getByRole('menu').count()).toBe(0)
    expect(await page.title()).toBe('call 1')
  })

  it('still shows the other screens if one screen fails', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await page.evaluate(() => window.scripted.changeStatus({ folders: null as never }))
    await page.getByText('This screen failed').waitFor()
    await openScreen(page, 'General')
    await page.getByRole('heading', { name: 'Theme' }).waitFor()
    clearPageErrors(page)
  })

  it('shows the sandbox banner only while the sandbox is the service', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const notice = page.getByText('Uploads stay on this PC', { exact: false })
    await page.evaluate(() =>
      window.scripted.setSandboxHealth({ state: 'running', baseUrl: 'https://api.example.com' }),
    )
    await notice.waitFor()
    await page.evaluate(() =>
      window.scripted.setSandboxHealth({ state: 'running', baseUrl: 'http://127.0.0.1:47113' }),
    )
    await notice.waitFor({ state: 'detached' })
  })

  it('reports a stopped sandbox, and restarts it on request', async () => {
    const page = await open({ scene: 'offline', moving: false })
    await page.evaluate(() =>
      window.scripted.setSandboxHealth({ state: 'stopped', reason: 'Its process ended with code 1.' }),
    )
    await page.getByText('The built-in sandbox has stopped. Its process ended', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Restart the sandbox' }).click()
    await page.getByText('The built-in sandbox has stopped.', { exact: false }).waitFor({ state: 'detached' })
    expect(await callArgs(page, 'startSandbox')).toHaveLength(1)
  })

  it('shows a headline mark that is not green if a recording was dismissed', async () => {
    const page = await open({ scene: 'dismissed', moving: false })
    await page.getByRole('heading', { level: 1, name: '40 of 42 recordings are safe' }).waitFor()
    expect(await page.locator('.headline-mark').getAttribute('class')).toContain('tone-quiet')
  })

  it('opens the same link again after the user closed the details', async () => {
    const page = await open({ scene: 'busy', moving: false })
    const stages = page.getByRole('heading', { name: 'Stages' })
    await page.evaluate(() => window.scripted.navigate('recordings/11'))
    await stages.waitFor()
    await page.getByRole('button', { name: 'Close details' }).click()
    await stages.waitFor({ state: 'detached' })
    await page.evaluate(() => window.scripted.navigate('recordings/11'))
    await stages.waitFor()
  })

  it('sends one request for a typed site, not one per letter', async () => {
    const page = await open({ scene: 'busy', moving: false, ownClock: true })
    await openScreen(page, 'Service sessions')
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).waitFor()
    await page.clock.pauseAt(new Date(Date.now() + 60_000))
    const countBefore = (await callArgs(page, 'listSessions')).length
    await page.getByLabel('Site').pressSequentially('Warehouse')
    await page.clock.runFor(1_000)
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).waitFor({ state: 'detached' })
    expect((await callArgs(page, 'listSessions')).slice(countBefore)).toEqual([
      { limit: 50, site: 'Warehouse' },
    ])
  })

  it('shows why the sessions are unavailable, and loads them again on request', async () => {
    const page = await open({ scene: 'offline', moving: false })
    await page.evaluate(() =>
      window.scripted.failNext('listSessions', {
        kind: 'refused',
        message: 'The service cannot be reached.',
      }),
    )
    await openScreen(page, 'Service sessions')
    await page.getByText('The sessions are unavailable').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).waitFor()
  })

  it('updates the throughput curve even while the status does not change', async () => {
    const page = await open({ scene: 'paused', moving: false, ownClock: true })
    await openScreen(page, 'Folders')
    await openScreen(page, 'Overview')
    await page.getByRole('img', { name: /Throughput/ }).waitFor()
    const countBefore = (await callArgs(page, 'getThroughput')).length
    await page.clock.runFor(60_000)
    await expect
      .poll(async () => (await callArgs(page, 'getThroughput')).length)
      .toBeGreaterThan(countBefore + 2)
  })

  it('draws the throughput of ten minutes or of a day, each with a description in words', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.getByRole('img', { name: /Throughput: .* in the last 10 minutes/ }).waitFor()
    await page.getByRole('radio', { name: '24 hours' }).press('Space')
    await page.getByRole('img', { name: /Throughput: .* in the last 24 hours/ }).waitFor()
  })
})
