import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { MORNING } from '../../page/morning.ts'
import { describePage } from '../../page/with-page.ts'

/** The texts in one line each: CSS places each word in its own box, which adds line breaks. */
const wordsOf = async (page: Page, selector: string) =>
  (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
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
  it('presses three filter chips for the “on this PC” part of the night bar', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(() => window.scripted.navigate('recordings?standing=here'))
    await page.getByRole('grid', { name: '7 recordings' }).waitFor()
    expect(await wordsOf(page, '.chip[aria-pressed="true"]')).toEqual([
      'Recording 1',
      'Waiting 3',
      'Uploading 3',
    ])
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
    // Arrow keys continue from the marked row. After the list updates, only one row is marked.
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
    ['in a wide window', 1120, 760],
    ['in a window of medium width', 1000, 700],
    ['in a narrow window', 520, 700],
    ['at 200% zoom', 560, 380],
  ])('shows a readable progress bar for an upload %s', async (_where, width, height) => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING, width, height })
    await page.evaluate(() => window.scripted.navigate('recordings?standing=uploading'))
    const bar = page.getByRole('grid').getByRole('progressbar').first()
    await bar.waitFor()
    const box = await bar.boundingBox()
    expect(box?.width).toBeGreaterThan(60)
  })
})
