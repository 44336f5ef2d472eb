import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

/**
 * Asks the page for its view, as the main process does before it unloads a hidden page. Returns null if the page must
 * stay loaded.
 */
const requestView = async (page: Page): Promise<string | null> => {
  await page.evaluate(() => window.scripted.requestUnload())
  const saved = (await callArgs(page, 'saveView')) as { view: string }[]
  return saved.at(-1)?.view ?? null
}

/** Waits until all earlier answers are rendered. */
const waitForRender = (page: Page) =>
  page.evaluate(async () => {
    await window.station('getStatus', null)
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })

const scrollTo = (page: Page, top: number) =>
  page.getByRole('grid').evaluate((grid, to) => {
    grid.scrollTop = to
  }, top)

const scrollTopOf = (page: Page) => page.getByRole('grid').evaluate((grid) => grid.scrollTop)

describePage('a hidden page', (open) => {
  it('comes back after it was unloaded, with the same screen, filter, open row and scroll position', async () => {
    const firstPage = await open({ scene: 'busy', moving: false, height: 480, at: MORNING })
    await expect.poll(() => callArgs(firstPage, 'pageDrawn')).toHaveLength(1)
    await openScreen(firstPage, 'Recordings')
    await firstPage.getByRole('searchbox').fill('.')
    // A search scrolls the list to the top, so the test scrolls after the result of the search.
    await expect
      .poll(async () => JSON.stringify(await callArgs(firstPage, 'listRecordings')))
      .toContain('"text":"."')
    await waitForRender(firstPage)
    await scrollTo(firstPage, 900)
    // Wait until the rows match the scroll position.
    await waitForRender(firstPage)
    const row = firstPage.getByRole('row').nth(8)
    await row.click()
    const heading = firstPage.getByRole('complementary').getByRole('heading', { level: 2 })
    // While the details load, the heading is “Recording”.
    await expect.poll(() => heading.textContent()).not.toBe('Recording')
    const title = await heading.textContent()
    // Wait, because the click scrolls to the row.
    await expect.poll(() => callArgs(firstPage, 'locateRecording')).toHaveLength(1)
    await waitForRender(firstPage)
    await scrollTo(firstPage, 120)
    await waitForRender(firstPage)
    const top = await scrollTopOf(firstPage)
    expect(top).toBe(120)
    const view = await requestView(firstPage)
    expect(view).not.toBeNull()

    const secondPage = await open({ scene: 'busy', moving: false, height: 480, at: MORNING, view: view! })
    await secondPage.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor()
    expect(await secondPage.getByRole('searchbox').inputValue()).toBe('.')
    await secondPage.getByRole('complementary').getByRole('heading', { level: 2, name: title! }).waitFor()
    await expect.poll(() => callArgs(secondPage, 'locateRecording')).toHaveLength(1)
    await waitForRender(secondPage)
    await expect.poll(() => scrollTopOf(secondPage)).toBe(top)
    // After navigation to a different screen and back, the list has no filter.
    await openScreen(secondPage, 'Overview')
    await openScreen(secondPage, 'Recordings')
    expect(await secondPage.getByRole('searchbox').inputValue()).toBe('')
  })

  it('stays loaded while it has unsaved input, a selection or a dialog', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Transfer')
    await page.getByRole('textbox', { name: 'Parallel recordings' }).fill('7')
    expect(await requestView(page)).toBeNull()
    // A draft survives a visit to a different screen, so the page stays loaded.
    await openScreen(page, 'Overview')
    expect(await requestView(page)).toBeNull()
    await openScreen(page, 'Transfer')
    await page.getByRole('button', { name: 'Discard' }).click()
    await openScreen(page, 'Recordings')
    await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space')
    await page.getByRole('button', { name: 'Clear', exact: true }).waitFor()
    expect(await requestView(page)).toBeNull()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByRole('button', { name: 'Clear', exact: true }).waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await requestView(page)).toBeNull()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await requestView(page)).not.toBeNull()
  })

  it('stays loaded during the first run', async () => {
    const page = await open({ scene: 'first-run', moving: false })
    expect(await requestView(page)).toBeNull()
  })
})
