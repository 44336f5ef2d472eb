import { expect, it } from 'vitest'
import { clearPageErrors } from './browser/page-pool.ts'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { callArgs, describePage } from './with-page.ts'

describePage('the station in the window', (open) => {
  it('shows the agent’s headline unchanged', async () => {
    const page = await open({ scene: 'calm', moving: false, at: MORNING })
    await page.getByRole('heading', { level: 1, name: 'All 42 recordings are safe' }).waitFor()
  })

  it('keeps the last status while the agent restarts, shows the restart, and continues', async () => {
    const page = await open({ scene: 'busy' })
    await openScreen(page, 'Recordings')
    await page.getByRole('row').nth(3).waitFor()
    await page.evaluate(() => window.scripted.setHealth({ state: 'restarting', restarts: 1 }))
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    expect(await page.getByRole('row').count()).toBeGreaterThan(3)
    await page.evaluate(() => window.scripted.setHealth({ state: 'running', restarts: 1 }))
    await page.getByText('Reconnecting', { exact: true }).waitFor({ state: 'detached' })
    await openScreen(page, 'About')
    await page.getByText('Restarted once', { exact: false }).waitFor()
  })

  it('names the agent that it is attached to, shows when the agent stops, and offers to start it', async () => {
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

  it('reloads as soon as the agent is back', async () => {
    const page = await open({ scene: 'busy', moving: false, ownClock: true })
    await openScreen(page, 'Recordings')
    await page.getByRole('row').nth(3).waitFor()
    await page.evaluate(() => window.scripted.setHealth({ state: 'restarting', restarts: 1 }))
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    // No timer fires after this.
    await page.clock.pauseAt(Date.now() + 60_000)
    const before = (await callArgs(page, 'listRecordings')).length
    await page.evaluate(() => window.scripted.setHealth({ state: 'running', restarts: 1 }))
    await expect.poll(async () => (await callArgs(page, 'listRecordings')).length).toBeGreaterThan(before)
  })

  it('pauses for an hour and resumes', async () => {
    const page = await open({ scene: 'busy' })
    await page.getByRole('button', { name: 'Pause uploads' }).click()
    await page.getByRole('menuitem', { name: 'For 1 hour' }).click()
    await page.getByRole('button', { name: 'Resume uploads' }).click()
    await page.getByRole('button', { name: 'Pause uploads' }).waitFor()
    const [{ until }] = (await callArgs(page, 'pause')) as [{ until: string }]
    expect(Math.abs(Date.parse(until) - Date.now() - 3_600_000)).toBeLessThan(60_000)
  })

  it('shows ten thousand problems as one card, and retries them with one call', async () => {
    const page = await open({ scene: 'refused', moving: false, at: MORNING })
    expect(await page.getByRole('article').count()).toBe(1)
    await page.getByRole('button', { name: /^10,000 need attention/ }).waitFor()
    await page.getByText('10,000 recordings', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Try all now' }).click()
    await page.getByText('Trying 10,000 recordings now.').waitFor()
    expect(await callArgs(page, 'retryProblem')).toEqual([{ code: 'site-refused' }])
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Show them' }).click()
    await page.getByRole('grid', { name: '10,000 recordings' }).waitFor()
  })

  it('ignores a second press while the agent retries ten thousand recordings', async () => {
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

  it('shows every problem, including those of folders', async () => {
    const page = await open({ scene: 'offline', moving: false })
    await page.evaluate(async () => {
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error(answer.error.message)
      const [, missingFolder] = answer.value.problems
      if (missingFolder === undefined) throw new Error('the scene has no missing folder')
      const problems = Array.from({ length: 12 }, (_, index) => ({
        ...missingFolder,
        folder: `/mnt/rig-${index}`,
      }))
      await window.scripted.changeStatus({ problems })
    })
    await expect.poll(() => page.getByRole('article').count()).toBe(5)
    await page.getByRole('button', { name: 'Show 8 more problems' }).click()
    await page.getByText('/mnt/rig-11').waitFor()
    await page.getByRole('button', { name: 'Show fewer problems' }).click()
    await page.getByText('/mnt/rig-11').waitFor({ state: 'detached' })
  })

  it('counts only recordings that need attention at “Recordings”', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.getByRole('button', { name: 'Recordings 2 need attention' }).waitFor()
    await page.evaluate(() => window.scripted.changeStatus({ needAttention: 0 }))
    await page.getByRole('button', { name: 'Recordings', exact: true }).waitFor()
  })

  it('never replaces a newer status with an older one', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await page.evaluate(() => window.scripted.setHealth({ state: 'restarting', restarts: 1 }))
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    await page.evaluate(async () => {
      const { getStatus } = window.sluice.call
      const callReceived = new Promise<() => void>((resolve) => {
        Object.assign(window.sluice.call, {
          getStatus: async () => {
            const old = await getStatus()
            return new Promise((answer) => resolve(() => answer(old)))
          },
        })
      })
      window.scripted.setHealth({ state: 'running', restarts: 1 })
      const answer = await callReceived
      await window.scripted.changeStatus({ at: new Date(Date.now() + 1_000).toISOString(), folders: [] })
      answer()
    })
    await page.getByText('No folder is watched', { exact: false }).waitFor()
    // After two frames, a late answer would be rendered.
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    )
    expect(await page.getByText('No folder is watched', { exact: false }).isVisible()).toBe(true)
  })

  it('keeps the window when one screen fails', async () => {
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

  it('reports a stopped sandbox and restarts it', async () => {
    const page = await open({ scene: 'offline', moving: false })
    await page.evaluate(() =>
      window.scripted.setSandboxHealth({ state: 'stopped', reason: 'Its process ended with code 1.' }),
    )
    await page.getByText('The built-in sandbox has stopped. Its process ended', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Restart the sandbox' }).click()
    await page.getByText('The built-in sandbox has stopped.', { exact: false }).waitFor({ state: 'detached' })
    expect(await callArgs(page, 'startSandbox')).toHaveLength(1)
  })

  it('links each part of the night to exactly its recordings', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const parts = page.locator('.night-part')
    const words = await parts.allTextContents()
    const numbers = words.map((text) => Number.parseInt(text, 10))
    const recorded = Number.parseInt(
      (await page.getByText(/Since yesterday 18:00 · /).textContent())?.split('· ')[1] ?? '',
      10,
    )
    expect(numbers.reduce((sum, count) => sum + count, 0)).toBe(recorded)
    // The bar counts bytes, so it agrees with the bytes left.
    const shares = await page
      .locator('.night-bar > span')
      .evaluateAll((parts) =>
        parts.map((part) => [part.className, Number(getComputedStyle(part).flexGrow)] as const),
      )
    const sum = (isCounted: (className: string) => boolean) =>
      shares.reduce((bytes, [name, share]) => bytes + (isCounted(name) ? share : 0), 0)
    const uploaded = Math.floor((sum((name) => /-(?:safe|at-service)$/.test(name)) / sum(() => true)) * 100)
    await page.getByText(new RegExp(`· ${uploaded} % of [\\d.]+ GB uploaded$`)).waitFor()
    expect(words.find((text) => text.includes('on this PC'))).toMatch(/[\d.]+ GB left[\d.]+ GB uploaded$/)
    for (const [index, count] of numbers.entries()) {
      await parts.nth(index).press('Enter')
      await page.getByRole('grid', { name: count === 1 ? '1 recording' : `${count} recordings` }).waitFor()
      await page.evaluate(() => window.scripted.navigate('overview'))
    }
  })

  it('is not green if a recording was dismissed', async () => {
    const page = await open({ scene: 'dismissed', moving: false })
    await page.getByRole('heading', { level: 1, name: '40 of 42 recordings are safe' }).waitFor()
    expect(await page.locator('.headline-mark').getAttribute('class')).toContain('tone-quiet')
  })

  it('opens the link of a notification', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => window.scripted.navigate('recordings/11'))
    await page
      .getByRole('article')
      .getByText('The service does not accept the site name.', { exact: false })
      .waitFor()
    await page.getByText('For your administrator', { exact: true }).waitFor()
  })

  it('opens the same link again', async () => {
    const page = await open({ scene: 'busy', moving: false })
    const stages = page.getByRole('heading', { name: 'Stages' })
    await page.evaluate(() => window.scripted.navigate('recordings/11'))
    await stages.waitFor()
    await page.getByRole('button', { name: 'Close details' }).click()
    await stages.waitFor({ state: 'detached' })
    await page.evaluate(() => window.scripted.navigate('recordings/11'))
    await stages.waitFor()
  })

  it('lists sessions of all stations page by page, with filters', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await openScreen(page, 'Service sessions')
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).waitFor()
    await page.getByRole('button', { name: 'Older', exact: true }).click()
    await page.getByRole('button', { name: 'warehouse_0051.mcap' }).waitFor()
    await page.getByRole('button', { name: 'Newer' }).click()
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).waitFor()
    await page.getByLabel('Site').fill('Warehouse')
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).waitFor({ state: 'detached' })
    expect((await callArgs(page, 'listSessions')).at(-1)).toEqual({ limit: 50, site: 'Warehouse' })
  })

  it('sends one request for a typed site, not one per letter', async () => {
    const page = await open({ scene: 'busy', moving: false, ownClock: true })
    await openScreen(page, 'Service sessions')
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).waitFor()
    await page.clock.pauseAt(new Date(Date.now() + 60_000))
    const before = (await callArgs(page, 'listSessions')).length
    await page.getByLabel('Site').pressSequentially('Warehouse')
    await page.clock.runFor(1_000)
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).waitFor({ state: 'detached' })
    expect((await callArgs(page, 'listSessions')).slice(before)).toEqual([{ limit: 50, site: 'Warehouse' }])
  })

  it('shows why the sessions are unavailable, and tries again', async () => {
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

  it('moves the throughput curve while the status does not change', async () => {
    const page = await open({ scene: 'paused', moving: false, ownClock: true })
    await openScreen(page, 'Folders')
    await openScreen(page, 'Overview')
    await page.getByRole('img', { name: /Throughput/ }).waitFor()
    const before = (await callArgs(page, 'getThroughput')).length
    await page.clock.runFor(60_000)
    await expect.poll(async () => (await callArgs(page, 'getThroughput')).length).toBeGreaterThan(before + 2)
  })

  it('draws throughput for ten minutes and a day, with the same values as text', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.getByRole('img', { name: /Throughput: .* in the last 10 minutes/ }).waitFor()
    await page.getByRole('radio', { name: '24 hours' }).press('Space')
    await page.getByRole('img', { name: /Throughput: .* in the last 24 hours/ }).waitFor()
  })
})
