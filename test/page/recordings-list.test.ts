import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import { describePage } from './with-page.ts'

const rowNames = (page: Page) => page.locator('.grid-body .cell-name-line').allInnerTexts()
/** Replaces line breaks between the words, because CSS places each word in its own box. */
const wordsOf = async (page: Page, selector: string) =>
  (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
const headingTexts = (page: Page) => wordsOf(page, '.grid-heading')

/** True if the whole row is inside the visible part of the list. */
const isRowInSight = async (page: Page, row: string): Promise<boolean> => {
  const [frame, box] = await Promise.all([
    page.getByRole('grid').boundingBox(),
    page.locator(row).boundingBox(),
  ])
  if (frame === null || box === null) return false
  return box.y >= frame.y && box.y + box.height <= frame.y + frame.height
}

describePage('the layout of the recordings list', (open) => {
  it('shows the number of recordings on each chip, and filters by the chip', async () => {
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

  it('shows three pressed chips for the part “on this PC” of the night bar', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(() => window.scripted.navigate('recordings?standing=here'))
    await page.getByRole('grid', { name: '7 recordings' }).waitFor()
    expect(await wordsOf(page, '.chip[aria-pressed="true"]')).toEqual([
      'Recording 1',
      'Waiting 3',
      'Uploading 3',
    ])
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

  it('scrolls to a recording that a link opens, and marks this recording with more than a colour', async () => {
    const page = await open({ scene: 'busy', at: MORNING })
    await page.evaluate(() => window.scripted.navigate('recordings/40'))
    const row = page.locator('.grid-body [aria-current="true"]')
    await row.waitFor()
    await expect.poll(() => isRowInSight(page, '.grid-body [aria-current="true"]')).toBe(true)
    await row.locator('.row-open-mark svg').waitFor()
    expect(await row.locator('.cell-name-line').evaluate((name) => getComputedStyle(name).fontWeight)).toBe(
      '700',
    )
    // The keyboard continues from there, and updates keep the mark.
    const index = Number((await row.getAttribute('data-index')) ?? Number.NaN)
    await page.evaluate(() => window.sluice.call.pauseRecordings({ ids: [6] }))
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator(`#recording-row-${index + 1}[aria-current="true"]`).waitFor()
    expect(
      await page
        .locator('[aria-current="true"]')
        .filter({ has: page.locator('.cell-name') })
        .count(),
    ).toBe(1)
  })

  it.each([
    ['a wide list', 1120, 760],
    ['beside the details', 1000, 700],
    ['a narrow window', 520, 700],
    ['200%', 560, 380],
  ])('shows the progress of each recording: %s', async (_where, width, height) => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING, width, height })
    await page.evaluate(() => window.scripted.navigate('recordings?standing=uploading'))
    const bar = page.getByRole('grid').getByRole('progressbar').first()
    await bar.waitFor()
    const box = await bar.boundingBox()
    expect(box?.width).toBeGreaterThan(60)
  })
})
