import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { describePage } from './with-page.ts'

const rowNames = (page: Page) => page.locator('.grid-body .cell-name-line').allInnerTexts()
/** The texts in one line each: CSS places the parts of a heading in separate boxes, which adds line breaks. */
const wordsOf = async (page: Page, selector: string) =>
  (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
const headingTexts = (page: Page) => wordsOf(page, '.grid-heading')

describePage('the layout of the recordings list', (open) => {
  it('shows the number of recordings on each chip, and a pressed chip filters the list', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    for (const [name, shown] of [
      ['Needs attention 2', '2 recordings'],
      ['Recording 1', '1 recording'],
      ['Waiting 3', '3 recordings'],
      ['Safe 29', '29 recordings'],
      ['Dismissed 1', '1 recording'],
    ] as const) {
      const chip = page.getByRole('button', { name, exact: true })
      await chip.press('Enter')
      await page.getByRole('grid', { name: shown, exact: true }).waitFor()
      expect(await chip.getAttribute('aria-pressed')).toBe('true')
    }
    // A second press clears the filter.
    await page.getByRole('button', { name: 'Dismissed 1' }).press('Enter')
    await page.getByRole('grid', { name: '42 recordings' }).waitFor()
    expect(await page.getByRole('button', { name: 'All 42' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('searchbox').fill('track')
    await page.getByRole('button', { name: 'All 8' }).waitFor()
    await page.getByRole('button', { name: 'Needs attention 1' }).waitFor()
  })

  it('updates the chips while recordings change', async () => {
    const page = await open({ scene: 'busy', at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('button', { name: 'Needs attention 2' }).waitFor()
    await page.evaluate(() => window.sluice.call.dismissRecordings({ ids: [14] }))
    await page.getByRole('button', { name: 'Needs attention 1' }).waitFor()
    await page.getByRole('button', { name: 'Dismissed 2' }).waitFor()
  })

  it('loads the list again by itself after a failed call, even if no recording changes', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    await page.getByRole('grid', { name: '42 recordings' }).waitFor()
    await page.clock.fastForward(2_000)
    await page.evaluate(() =>
      window.scripted.failNext('listRecordings', { kind: 'agent-unavailable', message: 'No answer.' }),
    )
    await page.getByRole('button', { name: 'Safe 29' }).press('Enter')
    await page.locator('.grid-stale').waitFor()
    await page.clock.fastForward(30_000)
    await page.getByRole('grid', { name: '29 recordings' }).waitFor()
  })

  it('pins recordings that need attention on top in every order, and groups the other recordings by night', async () => {
    const page = await open({ scene: 'many', rows: 5_000, moving: false, at: MORNING })
    await openScreen(page, 'Recordings')
    const namesOnTop = ['hall3_20260312_0649.mcap', 'track_20260312_0616.mcap']
    expect((await rowNames(page)).slice(0, 2)).toEqual(namesOnTop)
    expect(await headingTexts(page)).toEqual(['Needs attention 2', 'Last night 468 more'])
    await page.getByRole('button', { name: 'Name' }).click()
    await page.locator('.grid-heading', { hasText: 'All others' }).waitFor()
    expect((await rowNames(page)).slice(0, 2)).toEqual(namesOnTop)
    await page.getByRole('button', { name: 'Found' }).last().click()
    await page.locator('.grid-heading', { hasText: 'Last night' }).waitFor()
    await page.getByRole('button', { name: 'Found' }).last().click()
    await page.locator('.grid-heading', { hasText: 'Sat 7 Mar' }).waitFor()
    expect((await rowNames(page)).slice(0, 2)).toEqual(namesOnTop.toReversed())
    await page.getByRole('button', { name: 'Found' }).last().click()
    // A filtered list pins nothing.
    await page.getByRole('button', { name: /^Safe/ }).press('Enter')
    await page.getByRole('grid', { name: '4,987 recordings' }).waitFor()
    expect((await headingTexts(page)).at(0)).toMatch(/^Last night/)
  })
})
