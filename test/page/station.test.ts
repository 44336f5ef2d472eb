import { expect, it } from 'vitest'
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

  it('pauses for an hour and resumes', async () => {
    const page = await open({ scene: 'busy' })
    await page.getByRole('button', { name: 'Pause uploads' }).click()
    await page.getByRole('menuitem', { name: 'For 1 hour' }).click()
    await page.getByRole('button', { name: 'Resume uploads' }).click()
    await page.getByRole('button', { name: 'Pause uploads' }).waitFor()
    const [{ until }] = (await callArgs(page, 'pause')) as [{ until: string }]
    expect(Math.abs(Date.parse(until) - Date.now() - 3_600_000)).toBeLessThan(60_000)
  })

  it('shows a thousand problems as one card, and retries them with one call', async () => {
    const page = await open({ scene: 'refused', moving: false, at: MORNING })
    expect(await page.getByRole('article').count()).toBe(1)
    await page.getByRole('button', { name: /^1,000 need attention/ }).waitFor()
    await page.getByText('1,000 recordings', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Try all now' }).click()
    await page.getByText('Trying 1,000 recordings now.').waitFor()
    expect(await callArgs(page, 'retryProblem')).toEqual([{ code: 'site-refused' }])
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Show them' }).click()
    await page.getByRole('grid', { name: '1,000 recordings' }).waitFor()
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

  it('shows beside “Recordings” how many recordings need attention, and no number if none do', async () => {
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

  it('links each count in the night card to exactly the recordings that it counts', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const parts = page.locator('.night-part')
    const words = await parts.allTextContents()
    const numbers = words.map((text) => Number.parseInt(text, 10))
    const recorded = Number.parseInt(
      (await page.getByText(/Since yesterday 18:00 · /).textContent())?.split('· ')[1] ?? '',
      10,
    )
    expect(numbers.reduce((sum, count) => sum + count, 0)).toBe(recorded)
    // The bar counts bytes, so its uploaded share equals the percentage in the text.
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

  it('opens the link of a notification', async () => {
    const page = await open({ scene: 'busy', moving: false })
    await page.evaluate(() => window.scripted.navigate('recordings/11'))
    await page
      .getByRole('article')
      .getByText('The service does not accept the site name.', { exact: false })
      .waitFor()
    await page.getByText('For your administrator', { exact: true }).waitFor()
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
})
