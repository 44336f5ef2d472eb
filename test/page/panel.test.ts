import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { MORNING } from './morning.ts'
import { callArgs, describePage } from './with-page.ts'

describePage('the panel at the tray icon', (open) => {
  it('shows the headline and at most three uploads with their percent', async () => {
    const page = await open({
      scene: 'busy',
      panel: true,
      moving: false,
      at: MORNING,
      width: 340,
      height: 300,
    })
    const windowPage = await open({ scene: 'busy', moving: false, at: MORNING })
    const headline = await windowPage.getByRole('heading', { level: 1 }).textContent()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(headline)
    const uploads = await page.getByRole('listitem').allTextContents()
    expect(uploads).toHaveLength(3)
    for (const upload of uploads) expect(upload).toMatch(/\d+ %$/)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(340)
    // The panel needs only these two calls.
    const calls = await page.evaluate(() => window.scripted.pageCalls.map(({ name }) => name))
    expect([...new Set(calls)].toSorted()).toEqual(['getAgentHealth', 'getStatus'])
  })

  it('pauses uploads, resumes uploads and opens the window by keyboard', async () => {
    const page = await open({ scene: 'busy', panel: true, moving: false, at: MORNING })
    const readFocusedText = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(readFocusedText).toBe('Open Sluice')
    await page.keyboard.press('Enter')
    expect(await callArgs(page, 'openWindow')).toHaveLength(1)
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page
      .getByRole('heading', { name: /Paused by you, nothing uploads/ })
      .or(page.getByText(/Paused by you since [\w: ]+ until you resume/))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Resume uploads' }).press('Enter')
    await page.getByRole('button', { name: 'Pause uploads' }).waitFor()
    expect(await callArgs(page, 'pause')).toEqual([{ until: null }])
  })

  it('keeps its buttons in view and scrolls the rest if the content is higher than the window', async () => {
    const page = await open({
      scene: 'busy',
      panel: true,
      moving: false,
      at: MORNING,
      width: 340,
      height: 160,
    })
    const isVisible = (locator: Locator) =>
      locator.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        return element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
      })
    await page.getByRole('button', { name: 'Open Sluice' }).waitFor()
    const uploads = page.getByRole('listitem')
    expect(await isVisible(uploads.last())).toBe(false)
    await page.mouse.move(170, 60)
    await page.mouse.wheel(0, 500)
    await expect.poll(() => isVisible(uploads.last())).toBe(true)
    expect(await isVisible(page.getByRole('button', { name: 'Open Sluice' }))).toBe(true)
    await page.mouse.wheel(0, -500)
    await expect.poll(() => isVisible(page.getByRole('heading', { level: 1 }))).toBe(true)
    expect(await isVisible(page.getByRole('button', { name: 'Open Sluice' }))).toBe(true)
  })

  it('shows that the agent restarts, and offers no pause until the agent runs', async () => {
    const page = await open({ scene: 'busy', panel: true, moving: false, at: MORNING })
    await page.evaluate(() => window.scripted.setHealth({ state: 'restarting', restarts: 1 }))
    await page.getByRole('heading', { name: 'Reconnecting: the upload agent is restarting.' }).waitFor()
    expect(await page.getByRole('button', { name: 'Pause uploads' }).isDisabled()).toBe(true)
  })
})
